/** The same questions for the mirror, for notmuch and for an IMAP server. */
import type { Query, WordField } from '../src/core/query/query.ts'
import { piecesOf } from '../src/core/query/words.ts'
import { address, BEGINNING, CJK, COMMON, PHRASE, RARE, SUBJECT_WORD, someDays } from './mirror-mail.ts'

export interface Question {
  readonly mirror: Query
  readonly notmuch: string
  /** Undefined where the protocol has no words for it. */
  readonly imap: string | undefined
  /** Without an index a server has to open every message. */
  readonly opensAll?: true
}

const SENDER = 123
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export function questions(): Readonly<Record<string, Question>> {
  const { from, before } = someDays()
  return {
    sender: {
      mirror: words('from', address(SENDER)),
      notmuch: `from:${address(SENDER)}`,
      imap: `FROM "${address(SENDER)}"`,
    },
    'subject word': {
      mirror: words('subject', SUBJECT_WORD),
      notmuch: `subject:${SUBJECT_WORD}`,
      imap: `SUBJECT "${SUBJECT_WORD}"`,
    },
    'body word, rare': inBody(RARE, RARE),
    'body word, common': inBody(COMMON, COMMON),
    phrase: inBody(PHRASE, `"${PHRASE}"`),
    CJK: inBody(CJK, CJK),
    prefix: { mirror: { ...words('any', BEGINNING), open: true }, notmuch: `${BEGINNING}*`, imap: undefined },
    'range of days': {
      mirror: { kind: 'received', from, before },
      notmuch: `date:@${from}..@${before - 1}`,
      imap: `SINCE ${day(from)} BEFORE ${day(before)}`,
    },
    unread: {
      mirror: { kind: 'not', of: { kind: 'flag', flag: '\\Seen' } },
      notmuch: 'tag:unread',
      imap: 'UNSEEN',
    },
    'all there are': { mirror: { kind: 'all' }, notmuch: '*', imap: 'ALL' },
  }
}

function inBody(text: string, notmuch: string): Question {
  return { mirror: words('any', text), notmuch, imap: `TEXT ${imapText(text)}`, opensAll: true }
}

function words(field: WordField, text: string): Extract<Query, { kind: 'words' }> {
  return { kind: 'words', field, pieces: piecesOf(text), open: false }
}

/** A literal that is sent without waiting, for what no quoted string can hold; one character for each byte. */
function imapText(text: string): string {
  const bytes = Buffer.from(text).toString('latin1')
  return bytes === text ? `"${text}"` : `{${bytes.length}+}\r\n${bytes}`
}

function day(seconds: number): string {
  const date = new Date(seconds * 1000)
  return `${date.getUTCDate()}-${MONTHS[date.getUTCMonth()]}-${date.getUTCFullYear()}`
}
