/**
 * What FETCH answers say, gathered by uid.
 *
 * INVARIANT: answers that nobody asked for (flags that changed meanwhile, other uids) do no harm: a message counts as
 * there only when what was asked of it is there.
 */

import { parseInternalDate } from './dates.ts'
import type { Exchange } from './dialogue.ts'
import { refused } from './failures.ts'
import { bytesOf, itemsOf, latin1Of, numberOf, type StatusResponse, type Value } from './wire/value.ts'

const FLAG = /^[!-~]{1,200}$/

/** The items of one message, by name: `FLAGS`, `BODY[HEADER]`, `BODY[1.2]`. */
export type Items = ReadonlyMap<string, Value>

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

/** `body[HEADER.FIELDS (DATE)]<0>` as `BODY[HEADER.FIELDS]`. An item that does not begin at 0 was not asked for. */
function itemName(written: string): string {
  const [, section, offset] = /^BODY\[([^ \]]*)[^\]]*\](?:<([0-9]+)>)?$/i.exec(written) ?? []
  if (section === undefined) return written.toUpperCase()
  return offset === undefined || offset === '0' ? `BODY[${section.toUpperCase()}]` : `OFFSET ${written}`
}

export function receivedOf(items: Items): number | undefined {
  return parseInternalDate(latin1Of(items.get('INTERNALDATE')) ?? '')
}

export function sizeOf(items: Items): number | undefined {
  return numberOf(items.get('RFC822.SIZE'))
}

/** A flag is one printable word: anything else that a server calls one is left out. */
export function flagsOf(items: Items): readonly string[] | undefined {
  return itemsOf(items.get('FLAGS'))
    ?.flatMap((flag) => latin1Of(flag) ?? [])
    .filter((flag) => FLAG.test(flag))
}

/** Undefined where the server has no such section. */
export function sectionOf(items: Items, section: string): Uint8Array | undefined {
  return bytesOf(items.get(`BODY[${section}]`))
}

/** Every answer must be OK. Some servers say NO where a message vanished meanwhile, and give the others all the same. */
export function mustBeDone(stage: string, answers: readonly StatusResponse[]): void {
  const bad = answers.find(({ status, code }) => status !== 'OK' && code?.name !== 'EXPUNGEISSUED')
  if (bad !== undefined) throw refused(stage, bad)
}
