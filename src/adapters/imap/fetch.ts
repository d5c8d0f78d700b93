/**
 * What FETCH answers say, gathered by uid.
 *
 * INVARIANT: answers that nobody asked for (flags that changed meanwhile, other uids) do no harm: a message counts as
 * there only when what was asked of it is there.
 */
import type { Traits } from '../../core/message.ts'
import { parseInternalDate } from './dates.ts'
import { refused } from './failures.ts'
import type { Exchange } from './line/dialogue.ts'
import {
  bytesOf,
  type DataResponse,
  itemsOf,
  latin1Of,
  numberOf,
  type StatusResponse,
  type Value,
} from './wire/value.ts'

/** Tells of the connection that shows it, not of the message. */
const RECENT = '\\recent'
const FLAG = /^[!-~]{1,200}$/

/** The items of one message, by name: `FLAGS`, `BODY[HEADER]`, `BODY[1.2]`. */
export type Items = ReadonlyMap<string, Value>

/** What one FETCH answer says; undefined where it does not say of which message. */
export function readFetch({ values }: DataResponse): { readonly uid: number; readonly items: Items } | undefined {
  const items = readItems(values[0])
  const uid = numberOf(items.get('UID'))
  return uid === undefined ? undefined : { uid, items }
}

export function fetched({ data }: Pick<Exchange, 'data'>): Map<number, Items> {
  const byUid = new Map<number, Map<string, Value>>()
  for (const response of data) {
    if (response.kind !== 'data' || response.name !== 'FETCH') continue
    const items = readItems(response.values[0])
    const uid = numberOf(items.get('UID'))
    if (uid === undefined) continue
    const known = byUid.get(uid)
    if (known === undefined) byUid.set(uid, items)
    else for (const [name, value] of items) known.set(name, value)
  }
  return byUid
}

function readItems(value: Value | undefined): Map<string, Value> {
  const fields = itemsOf(value) ?? []
  const items = new Map<string, Value>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = latin1Of(fields[at])
    const item = fields[at + 1]
    if (name !== undefined && item !== undefined) items.set(itemName(name), item)
  }
  return items
}

/** The same few names come with every message. */
const ITEM_NAMES = new Map<string, string>()
const MOST_NAMES = 200

function itemName(written: string): string {
  const known = ITEM_NAMES.get(written)
  if (known !== undefined) return known
  const name = readItemName(written)
  if (ITEM_NAMES.size < MOST_NAMES && written.length < MOST_NAMES) ITEM_NAMES.set(written, name)
  return name
}

/** `body[HEADER.FIELDS (DATE)]<0>` as `BODY[HEADER.FIELDS]`, `body[2]<500>` as `BODY[2]<500>`. */
function readItemName(written: string): string {
  const [, section, offset] = /^BODY\[([^ \]]*)[^\]]*\](?:<([0-9]+)>)?$/i.exec(written) ?? []
  if (section === undefined) return written.toUpperCase()
  const name = `BODY[${section.toUpperCase()}]`
  return offset === undefined || Number(offset) === 0 ? name : `${name}<${Number(offset)}>`
}

export function receivedOf(items: Items): number | undefined {
  return parseInternalDate(latin1Of(items.get('INTERNALDATE')) ?? '')
}

export function sizeOf(items: Items): number | undefined {
  return numberOf(items.get('RFC822.SIZE'))
}

/** One printable word: anything else that a server calls a flag is left out. */
export function isFlag(text: string): boolean {
  return FLAG.test(text) && text.toLowerCase() !== RECENT
}

export function flagsOf(items: Items): readonly string[] | undefined {
  const listed = itemsOf(items.get('FLAGS'))
  if (listed === undefined) return undefined
  const flags: string[] = []
  for (const value of listed) {
    const flag = latin1Of(value)
    if (flag !== undefined && isFlag(flag)) flags.push(flag)
  }
  return flags
}

/** What every look at a message asks for: uid, flags, time and size. */
export function basicsOf(uid: number, items: Items): Pick<Traits, 'uid' | 'received' | 'size' | 'flags'> | undefined {
  const [received, size, flags] = [receivedOf(items), sizeOf(items), flagsOf(items)]
  if (received === undefined || size === undefined || flags === undefined) return undefined
  return { uid, received, size, flags }
}

/** Undefined where the server has no such section. */
export function sectionOf(items: Items, section: string, from = 0): Uint8Array | undefined {
  return bytesOf(items.get(`BODY[${section}]${from === 0 ? '' : `<${from}>`}`))
}

/** Every answer must be OK. Some servers say NO where a message vanished meanwhile, and give the others all the same. */
export function mustBeDone(stage: string, answers: readonly StatusResponse[]): void {
  const bad = answers.find(({ status, code }) => status !== 'OK' && code?.name !== 'EXPUNGEISSUED')
  if (bad !== undefined) throw refused(stage, bad)
}
