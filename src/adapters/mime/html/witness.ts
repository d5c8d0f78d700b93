/** What looks at a page whole, beside a sink, which is told only what can be seen of it. */
import type { Attributes } from './markup.ts'

/** Told of everything that stands in a page, seen or not, in the order of its source. */
export interface Witness {
  open(name: string, attributes: Attributes): void
  close(name: string): void
  text(
    text: string,
    where: { readonly isHidden: boolean; readonly preformatted: boolean; readonly parent: string },
  ): void
  /** Declarations too. */
  comment(text: string): void
  /** What stands in a tag without effect. */
  ineffective(text: string): void
}
