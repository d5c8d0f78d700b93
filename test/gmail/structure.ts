/** BODYSTRUCTURE and ENVELOPE (RFC 3501, 7.4.2). */
import { fieldOf, type MimePart, structured } from './mime.ts'
import { nilOr, quoted } from './text.ts'

export function bodyStructure(part: MimePart): string {
  return part.children.length > 0 ? multipart(part) : single(part)
}

function multipart(part: MimePart): string {
  const { children, subtype, parameters, header } = part
  const rest = [quoted(upper(subtype)), pairs(parameters), disposition(header), 'NIL']
  return `(${children.map(bodyStructure).join('')} ${rest.join(' ')})`
}

function single(part: MimePart): string {
  const { type, subtype, parameters, header, body, message } = part
  const encoding = structured(fieldOf(header, 'content-transfer-encoding') ?? '7bit').value
  const basics = [
    quoted(upper(type)),
    quoted(upper(subtype)),
    pairs(parameters),
    nilOr(fieldOf(header, 'content-id')),
    nilOr(fieldOf(header, 'content-description')),
    quoted(upper(encoding)),
    `${body.length}`,
  ]
  const lines = `${body.toString('latin1').split('\n').length - 1}`
  const special =
    message !== undefined ? [envelope(message.header), bodyStructure(message), lines] : type === 'text' ? [lines] : []
  return `(${[...basics, ...special, 'NIL', disposition(header), 'NIL'].join(' ')})`
}

function disposition(header: Buffer): string {
  const field = fieldOf(header, 'content-disposition')
  if (field === undefined) return 'NIL'
  const { value, parameters } = structured(field)
  return `(${quoted(upper(value))} ${pairs(parameters)})`
}

function pairs(parameters: MimePart['parameters']): string {
  if (parameters.length === 0) return 'NIL'
  return `(${parameters.flatMap(([name, value]) => [quoted(upper(name)), quoted(value)]).join(' ')})`
}

function upper(text: string): string {
  return text.toUpperCase()
}

export function envelope(header: Buffer): string {
  const field = (name: string): string => nilOr(fieldOf(header, name))
  const from = addresses(fieldOf(header, 'from'))
  const orFrom = (name: string): string => {
    const own = addresses(fieldOf(header, name))
    return own === 'NIL' ? from : own
  }
  const people = ['to', 'cc', 'bcc'].map((name) => addresses(fieldOf(header, name)))
  const values = [field('date'), field('subject'), from, orFrom('sender'), orFrom('reply-to'), ...people]
  return `(${[...values, field('in-reply-to'), field('message-id')].join(' ')})`
}

function addresses(field: string | undefined): string {
  const found = (field?.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? []).flatMap((text) => address(text.trim()) ?? [])
  return found.length === 0 ? 'NIL' : `(${found.join('')})`
}

function address(text: string): string | undefined {
  const [, shown = '', inside] = /^(.*?)<([^>]*)>$/.exec(text) ?? []
  const [mailbox = '', host = ''] = (inside ?? text).split('@')
  const name = shown.trim().replace(/^"(.*)"$/, '$1')
  return mailbox === '' ? undefined : `(${nilOr(name || undefined)} NIL ${quoted(mailbox)} ${quoted(host)})`
}
