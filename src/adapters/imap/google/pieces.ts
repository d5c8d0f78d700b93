/**
 * What commands to Google are made of beyond IMAP (X-GM-EXT-1).
 *
 * INVARIANT: as in `wire/command.ts`: only words of ours and digits go bare; whatever comes from outside is text.
 */
import { keyword, keywords, type Piece } from '../wire/command.ts'

type Word = 'X-GM-MSGID' | 'X-GM-LABELS' | '+X-GM-LABELS' | '-X-GM-LABELS'

/** Labels that Google gives, whatever language the account speaks. */
export const SYSTEM_LABELS = ['\\Inbox', '\\Starred', '\\Important', '\\Sent', '\\Draft', '\\Trash', '\\Spam'] as const

export type SystemLabel = (typeof SYSTEM_LABELS)[number]

export function word(name: Word): Piece {
  return { kind: 'bare', wire: name }
}

export function systemLabel(label: SystemLabel): Piece {
  return { kind: 'bare', wire: label }
}

/** Ids have 64 bits: they stay text. */
export function isMsgid(digits: string | undefined): digits is string {
  return digits !== undefined && /^[1-9][0-9]{0,19}$/.test(digits)
}

/** `OR X-GM-MSGID 1 OR X-GM-MSGID 2 X-GM-MSGID 3`. */
export function searchAny([first = '', ...others]: readonly string[]): Piece[] {
  return [...keywords('UID', 'SEARCH'), ...others.flatMap((id) => [keyword('OR'), ...keyFor(id)]), ...keyFor(first)]
}

function keyFor(id: string): Piece[] {
  if (!isMsgid(id)) throw new Error('not an id of a message at Google')
  return [word('X-GM-MSGID'), { kind: 'bare', wire: id }]
}
