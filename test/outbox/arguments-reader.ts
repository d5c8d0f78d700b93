/** Reads a message as a stranger would: nothing here is the program's own. */
import addressparser from 'nodemailer/lib/addressparser'

export interface Read {
  /** The names of the header fields, in lower case, in order. */
  readonly names: readonly string[]
  /** Who stands in To, Cc and Bcc. */
  readonly people: readonly string[]
  readonly subject: string
}

export function readMessage(bytes: Uint8Array): Read {
  const [head = ''] = Buffer.from(bytes).toString('latin1').split('\r\n\r\n', 1)
  const fields = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  const named = fields.map((field) => {
    const [, name = `not a field: ${field}`, value = ''] = /^([!-9;-~]+): ?(.*)$/s.exec(field) ?? []
    return { name: name.toLowerCase(), value }
  })
  const of = (...names: readonly string[]) => named.filter(({ name }) => names.includes(name)).map(({ value }) => value)
  return {
    names: named.map(({ name }) => name),
    people: of('to', 'cc', 'bcc').flatMap((value) =>
      addressparser(value, { flatten: true }).map(({ address }) => address),
    ),
    subject: of('subject').map(decoded).join('|'),
  }
}

/** RFC 2047: what stands between two encoded words is no part of the text. */
function decoded(value: string): string {
  const joined = value.replaceAll(/(=\?[^?]+\?[bq]\?[^?]*\?=)\s+(?==\?)/gi, '$1')
  const bytes = joined.replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_whole, how: string, text: string) =>
    how.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString('latin1') : unquoted(text),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

function unquoted(text: string): string {
  return text
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
