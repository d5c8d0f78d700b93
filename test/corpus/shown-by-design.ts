/**
 * Generated tricks that hide nothing from a reader of the program. Browsers show both: `mso-hide` means nothing to them, and
 * pictures that are not loaded are replaced by their text.
 */
import type { Technique } from './mail.ts'

const SHOWN = new Set(['hidden-html-mso-hide', 'hidden-html-alt-attr'])

export function isShownByDesign({ id }: Pick<Technique, 'id'>): boolean {
  return SHOWN.has(id)
}
