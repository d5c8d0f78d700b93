/** LIST (with RETURN), XLIST, LSUB and STATUS. */
import type { Mailbox } from './mailbox.ts'
import { SPECIAL } from './names.ts'
import type { GmailStore } from './store.ts'
import { BadCommand, itemsOf, type Node, textOf } from './syntax.ts'
import { quoted } from './text.ts'
import { toUtf7 } from './utf7.ts'

export function list(store: GmailStore, name: string, args: readonly Node[]): string {
  const nodes = [...args]
  const special = nodes[0]?.kind === 'list' && itemsOf(nodes.shift()).some((node) => /special-use/i.test(textOf(node)))
  const [reference, patterns, ...options] = nodes
  if (textOf(reference) !== '') throw new BadCommand()
  const wanted = itemsOf(patterns).map(textOf)
  if (wanted.length === 1 && wanted[0] === '') return `* ${name} (\\Noselect) "/" "/"\r\n`
  const tests = wanted.map(pattern)
  const shown = entries(store).filter(({ raw, attributes }) => {
    const fits = tests.some((test) => test.test(raw))
    return fits && (!special || attributes.some((mark) => isSpecial(mark)))
  })
  const status = statusItems(options)
  return shown
    .map(({ raw, attributes, mailbox }) => {
      const line = `* ${name} (${attributes.join(' ')}) "/" ${quoted(raw)}\r\n`
      return mailbox === undefined || status === undefined ? line : line + statusLine(store, mailbox, status)
    })
    .join('')
}

interface Entry {
  readonly raw: string
  readonly attributes: readonly string[]
  readonly mailbox: Mailbox | undefined
}

/** Every mailbox, and the names that only hold others. */
function entries(store: GmailStore): Entry[] {
  const mailboxes = store.mailboxes()
  const names = new Set(mailboxes.flatMap(({ name }) => [...parents(name), name]))
  const raws = [...names].map((name) => ({ name, raw: toUtf7(name) })).sort((a, b) => (a.raw < b.raw ? -1 : 1))
  return raws.map(({ name, raw }) => {
    const mailbox = store.mailbox(name)
    const children = [...names].some((other) => other.startsWith(`${name}/`)) ? '\\HasChildren' : '\\HasNoChildren'
    const place = mailbox?.place
    const marks = mailbox === undefined ? ['\\Noselect'] : place === undefined ? [] : [SPECIAL[place].attribute]
    return { raw, mailbox, attributes: [children, ...marks].sort() }
  })
}

function parents(name: string): string[] {
  const parts = name.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

function isSpecial(mark: string): boolean {
  return Object.values(SPECIAL).some(({ attribute }) => attribute === mark)
}

function pattern(text: string): RegExp {
  const source = text
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/%/g, '[^/]*')
  return new RegExp(`^${source}$`, /^inbox$/i.test(text) ? 'i' : '')
}

/** `RETURN (SPECIAL-USE STATUS (MESSAGES))`: special-use attributes are told unasked. */
function statusItems(options: readonly Node[]): readonly string[] | undefined {
  if (options.length === 0) return undefined
  const [word, returned] = options
  if (textOf(word).toUpperCase() !== 'RETURN') throw new BadCommand()
  const items = itemsOf(returned)
  const at = items.findIndex((item) => item.kind === 'atom' && item.text.toUpperCase() === 'STATUS')
  return at === -1 ? undefined : itemsOf(items[at + 1]).map(textOf)
}

export function statusLine(store: GmailStore, mailbox: Mailbox, items: readonly string[]): string {
  const inside = mailbox.contents().flatMap(({ msgid }) => store.message(msgid) ?? [])
  const values: Readonly<Record<string, number>> = {
    MESSAGES: inside.length,
    RECENT: 0,
    UIDNEXT: mailbox.uidNext,
    UIDVALIDITY: mailbox.uidvalidity,
    UNSEEN: inside.filter(({ flags }) => !flags.has('\\Seen')).length,
    HIGHESTMODSEQ: store.modseq,
  }
  const told = items.map((item) => {
    const value = values[item.toUpperCase()]
    if (value === undefined) throw new BadCommand()
    return `${item.toUpperCase()} ${value}`
  })
  return `* STATUS ${quoted(toUtf7(mailbox.name))} (${told.join(' ')})\r\n`
}
