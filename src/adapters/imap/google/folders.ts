/**
 * Which of a Google account's mailboxes is which, and what its label is called.
 *
 * INVARIANT: a special mailbox is known by its attribute, in whatever language its name is. A label of somebody's own
 * never passes for one of Google's.
 */
import { Failure } from '../../../core/failure.ts'
import type { Exchange } from '../line/dialogue.ts'
import { shownName } from '../mailbox-names.ts'
import { keyword, latin1Text, type Piece, text } from '../wire/command.ts'
import { itemsOf, latin1Of, type Value } from '../wire/value.ts'
import { SYSTEM_LABELS, type SystemLabel, systemLabel } from './pieces.ts'

/** `label` is one of somebody's own. */
export type GoogleRole = 'all' | 'drafts' | 'important' | 'inbox' | 'label' | 'sent' | 'spam' | 'starred' | 'trash'

const ATTRIBUTES: Readonly<Record<string, GoogleRole>> = {
  '\\all': 'all',
  '\\drafts': 'drafts',
  '\\important': 'important',
  '\\sent': 'sent',
  '\\junk': 'spam',
  '\\flagged': 'starred',
  '\\trash': 'trash',
}

const LABELS: Readonly<Record<Exclude<GoogleRole, 'all' | 'label'>, SystemLabel>> = {
  drafts: '\\Draft',
  important: '\\Important',
  inbox: '\\Inbox',
  sent: '\\Sent',
  spam: '\\Spam',
  starred: '\\Starred',
  trash: '\\Trash',
}

/** Google names the attributes in every answer to LIST. */
export const LIST_ALL: readonly Piece[] = [keyword('LIST'), text(''), text('*')]

export class GoogleFolders {
  readonly #roles: ReadonlyMap<string, GoogleRole>

  constructor({ data }: Pick<Exchange, 'data'>) {
    const listed = data.flatMap((response) =>
      response.kind === 'data' && response.name === 'LIST' ? readListed(response.values) : [],
    )
    this.#roles = new Map(listed)
  }

  /** Undefined where the account does not show it over IMAP. */
  get allMail(): string | undefined {
    return [...this.#roles].find(([, role]) => role === 'all')?.[0]
  }

  /** Undefined for what is not there or cannot hold messages. */
  roleOf(rawName: string): GoogleRole | undefined {
    return this.#roles.get(keyOf(rawName))
  }
}

function readListed([attributes, , name]: readonly Value[]): [rawName: string, role: GoogleRole][] {
  const rawName = latin1Of(name)
  const marks = (itemsOf(attributes) ?? []).map((mark) => (latin1Of(mark) ?? '').toLowerCase())
  if (rawName === undefined || marks.includes('\\noselect') || marks.includes('\\nonexistent')) return []
  const special = marks.flatMap((mark) => ATTRIBUTES[mark] ?? [])[0]
  return [[keyOf(rawName), special ?? (keyOf(rawName) === 'INBOX' ? 'inbox' : 'label')]]
}

function keyOf(rawName: string): string {
  return /^inbox$/i.test(rawName) ? 'INBOX' : rawName
}

/** A mailbox as the label that a message has in it. */
export interface GoogleLabel {
  readonly piece: Piece
  /** Whether it is among the values of X-GM-LABELS. */
  isIn(values: readonly Value[]): boolean
}

/** All Mail is no label. */
export function labelFor(rawName: string, role: Exclude<GoogleRole, 'all'>): GoogleLabel {
  const own = role === 'label' ? undefined : LABELS[role]
  const piece = own === undefined ? ownLabel(rawName) : systemLabel(own)
  const wanted = comparable(own ?? rawName)
  return { piece, isIn: (values) => values.some((value) => comparable(nameIn(value)) === wanted) }
}

function ownLabel(rawName: string): Piece {
  const taken = SYSTEM_LABELS.some((label) => label.toLowerCase() === rawName.toLowerCase())
  if (!taken) return latin1Text(rawName)
  const message = 'a label that is named like one of Google’s own cannot be told from it; rename the label in Gmail'
  throw new Failure('rejected', message, { stage: 'label' })
}

/** A label may be called NIL, and come as a bare word. */
function nameIn(value: Value): string {
  return value.kind === 'nil' ? 'NIL' : (latin1Of(value) ?? '')
}

/** Google writes `\Sent` also with its backslash doubled, and tells labels apart by more than their case. */
function comparable(label: string): string {
  return shownName(label.replace(/^\\+/, '\\')).toLowerCase()
}
