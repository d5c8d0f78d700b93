/**
 * RFC 3676: text/plain; format=flowed, its soft-broken lines joined.
 *
 * INVARIANT: linear; no visible character is lost but the quote marks of lines that are joined to the one before.
 */
export function unflow(text: string, delSp: boolean): string {
  const out: string[] = []
  let paragraph = ''
  let depth = 0
  let open = false
  for (const raw of text.split('\n')) {
    const quotes = /^>*/.exec(raw)?.[0].length ?? 0
    // A blank was stuffed before lines that begin with a blank, `From ` or `>`.
    const line = raw.slice(quotes).replace(/^ /, '')
    if (open && (quotes !== depth || line === '-- ')) {
      out.push(paragraph)
      open = false
    }
    paragraph = open ? paragraph + line : marked(quotes, line)
    depth = quotes
    open = line.endsWith(' ') && line !== '-- '
    if (open && delSp) paragraph = paragraph.slice(0, -1)
    if (!open) out.push(paragraph)
  }
  if (open) out.push(paragraph)
  return out.join('\n')
}

function marked(quotes: number, line: string): string {
  return quotes === 0 ? line : `${'>'.repeat(Math.min(quotes, 50))} ${line}`
}
