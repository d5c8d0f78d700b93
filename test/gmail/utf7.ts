/** Modified UTF-7 (RFC 3501, 5.1.3), written apart from the adapter's so that the two check each other. */

export function toUtf7(name: string): string {
  let out = ''
  let shifted: number[] = []
  const flush = (): void => {
    if (shifted.length === 0) return
    const bytes = Buffer.from(shifted.flatMap((unit) => [unit >> 8, unit & 0xff]))
    out += `&${bytes.toString('base64').replaceAll('=', '').replaceAll('/', ',')}-`
    shifted = []
  }
  for (let at = 0; at < name.length; at += 1) {
    const unit = name.charCodeAt(at)
    if (unit < 0x20 || unit > 0x7e) {
      shifted.push(unit)
      continue
    }
    flush()
    out += unit === 0x26 ? '&-' : String.fromCharCode(unit)
  }
  flush()
  return out
}

/** Undefined where the text is not modified UTF-7 in its one right form. */
export function fromUtf7(text: string): string | undefined {
  const decoded = text.replace(/&([^-]*)-/g, (_, inside: string) => {
    if (inside === '') return '&'
    const bytes = Buffer.from(inside.replaceAll(',', '/'), 'base64')
    let run = ''
    for (let at = 0; at + 1 < bytes.length; at += 2) run += String.fromCharCode(bytes.readUInt16BE(at))
    return run
  })
  return toUtf7(decoded) === text ? decoded : undefined
}
