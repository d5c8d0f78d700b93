/** FETCH: what of a message is asked for, and how it is written. */
import { parseMessage, section } from './mime.ts'
import { systemLabel } from './names.ts'
import type { GmailStore } from './store.ts'
import { bodyStructure, envelope } from './structure.ts'
import { atomOf, BadCommand, itemsOf, type Node } from './syntax.ts'
import { internalDate, literal, quoted } from './text.ts'
import { toUtf7 } from './utf7.ts'
import type { Seen, View } from './view.ts'

const MACROS: Readonly<Record<string, readonly string[]>> = {
  ALL: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE', 'ENVELOPE'],
  FAST: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE'],
  FULL: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE', 'ENVELOPE', 'BODY'],
}
const OLD_SECTIONS: Readonly<Record<string, string>> = {
  RFC822: 'BODY[]',
  'RFC822.HEADER': 'BODY.PEEK[HEADER]',
  'RFC822.TEXT': 'BODY[TEXT]',
}
const SECTION = /^BODY(\.PEEK)?\[([^\s\]]*)(?: \(([^)]*)\))?\](?:<([0-9]+)\.([0-9]+)>)?$/i

export interface Fetching {
  readonly store: GmailStore
  readonly view: View
  readonly items: readonly string[]
}

export function fetchItems(node: Node | undefined, byUid: boolean): readonly string[] {
  const named = itemsOf(node).map(atomOf)
  const items = named.flatMap((item) => MACROS[item.toUpperCase()] ?? [item])
  return byUid && !items.some((item) => item.toUpperCase() === 'UID') ? ['UID', ...items] : items
}

/** The untagged answer for one message. Reading a body without PEEK marks it as seen. */
export function fetchAnswer(fetching: Fetching, seen: Seen): string {
  const { store, view, items } = fetching
  const reads = items.some((item) => /^(?:BODY\[|RFC822(?:\.TEXT)?$)/i.test(item))
  const marks = reads && view.writable && !seen.message.flags.has('\\Seen')
  if (marks) store.changeFlag(seen.message, view.mailbox, '\\Seen', true)
  const values = items.map((item) => value(fetching, seen, item))
  if (marks) values.push(`FLAGS ${view.flags(seen)}`)
  return `* ${seen.number} FETCH (${values.join(' ')})\r\n`
}

function value({ store, view }: Fetching, seen: Seen, item: string): string {
  const { message, uid } = seen
  const name = item.toUpperCase()
  const simple: Readonly<Record<string, () => string>> = {
    UID: () => `${uid}`,
    FLAGS: () => view.flags(seen),
    INTERNALDATE: () => internalDate(message.received),
    'RFC822.SIZE': () => `${message.raw.length}`,
    ENVELOPE: () => envelope(parseMessage(message.raw).header),
    BODYSTRUCTURE: () => bodyStructure(parseMessage(message.raw)),
    BODY: () => bodyStructure(parseMessage(message.raw)),
    MODSEQ: () => `(${message.modseq})`,
    'X-GM-MSGID': () => `${message.msgid}`,
    'X-GM-THRID': () => `${message.thrid}`,
    'X-GM-LABELS': () => labelList(store.labelsSeenFrom(message, view.mailbox)),
  }
  const write = simple[name]
  return write === undefined ? bytesOf(seen, item) : `${name} ${write()}`
}

function bytesOf({ message }: Seen, item: string): string {
  const old = OLD_SECTIONS[item.toUpperCase()]
  const [whole, , name = '', fields = '', from, count] = SECTION.exec(old ?? item) ?? []
  if (whole === undefined) throw new BadCommand()
  const names = fields.split(' ').filter((field) => field !== '')
  const found = section(parseMessage(message.raw), message.raw, name.toUpperCase(), names)
  const shown = old === undefined ? `BODY[${name.toUpperCase()}${fields === '' ? '' : ` (${fields})`}]` : item
  if (found === undefined) return `${shown} NIL`
  const start = Number(from ?? 0)
  const part = from === undefined ? found : found.subarray(start, start + Number(count))
  return `${shown}${from === undefined ? '' : `<${start}>`} ${literal(part.toString('latin1'))}`
}

/** System labels are quoted with their backslash escaped; others are atoms where they can be. */
export function labelList(labels: readonly string[]): string {
  return `(${labels.map(labelText).join(' ')})`
}

function labelText(label: string): string {
  if (systemLabel(label) !== undefined) return quoted(label)
  const raw = toUtf7(label)
  return /^[A-Za-z0-9_.+&,-]+$/.test(raw) ? raw : quoted(raw)
}
