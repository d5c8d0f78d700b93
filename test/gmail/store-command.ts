/** STORE: flags and labels. */
import { labelList } from './fetch.ts'
import type { GmailStore } from './store.ts'
import { atomOf, BadCommand, itemsOf, type Node, textOf } from './syntax.ts'
import { fromUtf7 } from './utf7.ts'
import type { Seen, View } from './view.ts'

const WHAT = /^([+-]?)(FLAGS|X-GM-LABELS)(\.SILENT)?$/i

export interface StoreChange {
  readonly mode: '' | '+' | '-'
  readonly what: 'FLAGS' | 'X-GM-LABELS'
  readonly silent: boolean
  readonly values: readonly string[]
}

export function storeChange([what, ...values]: readonly Node[]): StoreChange {
  const [, mode = '', name = '', silent] = WHAT.exec(atomOf(what)) ?? []
  if (name === '' || values.length === 0) throw new BadCommand()
  const items = values.flatMap((value) => itemsOf(value))
  const labels = name.toUpperCase() === 'X-GM-LABELS'
  return {
    mode: mode === '+' || mode === '-' ? mode : '',
    what: labels ? 'X-GM-LABELS' : 'FLAGS',
    silent: silent !== undefined,
    values: labels ? items.map(labelName) : items.map(atomOf),
  }
}

function labelName(node: Node): string {
  const name = fromUtf7(textOf(node))
  if (name === undefined || name === '') throw new BadCommand()
  return name
}

export function applyChange(store: GmailStore, view: View, seen: Seen, change: StoreChange): void {
  const { mailbox } = view
  const { message } = seen
  const { mode, what, values } = change
  if (what === 'FLAGS') {
    const old = mode === '' ? store.flagsOf(message, mailbox).filter((flag) => !values.includes(flag)) : []
    for (const flag of old) store.changeFlag(message, mailbox, flag, false)
    for (const flag of values) store.changeFlag(message, mailbox, flag, mode !== '-')
    return
  }
  const old = mode === '' ? store.labelsSeenFrom(message, mailbox).filter((label) => !values.includes(label)) : []
  for (const label of old) store.removeLabel(message, label)
  for (const label of values) {
    if (mode === '-') store.removeLabel(message, label)
    else store.addLabel(message, label)
  }
}

/** What a client hears of a change of its own. */
export function changeAnswer(store: GmailStore, view: View, seen: Seen, { what }: StoreChange): string {
  const labels = labelList(store.labelsSeenFrom(seen.message, view.mailbox))
  const value = what === 'FLAGS' ? `FLAGS ${view.flags(seen)}` : `X-GM-LABELS ${labels}`
  return `* ${seen.number} FETCH (UID ${seen.uid} ${value})\r\n`
}
