/**
 * A file name out of whatever a message calls its attachment.
 *
 * INVARIANT: letters, marks and digits of any script, and `. _ - + @ , =`; nothing that a shell, a terminal or a file system
 * reads as anything else. Begins with neither a dot nor a dash, is no device of Windows, not empty, at most `MOST_BYTES`.
 */
export const MOST_BYTES = 120

const NAMELESS = 'attachment'
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]+/gu
const UNSAFE = /[^\p{L}\p{M}\p{N}._+@,=-]+/gu
const EDGES = /^[._\-\p{M}]+|[._]+$/gu
const EXTENSION = /\.[A-Za-z0-9]{1,16}$/
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin|conout|clock)(?=\.|$)/i

export function safeName(filename: string | undefined): string {
  const plain = (filename ?? '').toWellFormed().normalize('NFC').replace(UNSEEN, '').replace(UNSAFE, '_')
  const name = shortened(plain.replace(EDGES, '')).replace(EDGES, '')
  if (name === '') return NAMELESS
  return DEVICE.test(name) ? `${NAMELESS}_${name}` : name
}

/** The extension says how to open it, so the rest is cut. */
function shortened(name: string): string {
  const extension = EXTENSION.exec(name)?.[0] ?? ''
  const room = MOST_BYTES - NAMELESS.length - 1 - extension.length
  return cut(name.slice(0, name.length - extension.length), room) + extension
}

/** The first bytes of a text, never half a character. */
function cut(text: string, mostBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(mostBytes))
  return text.slice(0, read)
}
