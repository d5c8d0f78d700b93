/**
 * What a message is indexed by.
 *
 * INVARIANT: every word is a token as it is: the tokenizer parts at ASCII that is no letter and no digit, and words hold none.
 * Marks begin with a character of private use, which no word of any text holds: so they are found by no word.
 */
import type { Searchable } from '../../core/query/evaluate.ts'
import type { WordField } from '../../core/query/query.ts'
import { indexedText } from '../../core/query/words.ts'
import type { MirrorDatabase } from './file/database.ts'

/** Every message has it. */
export const EVERY = '\ue000'
/** No message has it. */
export const NO = '\ue001'
/** Stands between the texts of two attachments, which no phrase goes across. */
const BETWEEN = ' \ue002 '

export function placeMark(folder: number): string {
  return `\ue000f${folder}`
}

export const COLUMN_OF: Readonly<Record<Exclude<WordField, 'any'>, string>> = {
  from: 'sender',
  to: 'recipients',
  cc: 'copied',
  bcc: 'hidden_copied',
  subject: 'subject',
  body: 'body',
  filename: 'filenames',
}

/** In the order of the columns. */
export function indexedColumns(folder: number, message: Searchable): string[] {
  const { from, to, cc, bcc, subject, body = '', filenames, attachmentTexts = [] } = message
  return [
    words(body),
    `${EVERY} ${placeMark(folder)}`,
    ...[from, to, cc, bcc, subject, filenames].map(words),
    attachmentTexts.map(words).join(BETWEEN),
  ]
}

function words(text: string): string {
  return text === '' ? '' : indexedText(text)
}

/** Which of its texts hold what a person may not see: the body, what is attached. */
export const IN_BODY = 1
const IN_ATTACHMENTS = 2

export function uncertainBits({ uncertain = '', uncertainAttachments = [] }: Searchable): number {
  return (uncertain === '' ? 0 : IN_BODY) | (uncertainAttachments.some((text) => text !== '') ? IN_ATTACHMENTS : 0)
}

/** In the order of the columns of the second index; undefined where there is nothing for it. */
export function uncertainColumns(message: Searchable): string[] | undefined {
  const { uncertain = '', uncertainAttachments = [] } = message
  if (uncertainBits(message) === 0) return undefined
  return [words(uncertain), uncertainAttachments.map(words).join(BETWEEN)]
}

/** Takes out all words at once, and what was left of those that were taken out before. */
export function clearWords(db: MirrorDatabase): void {
  for (const index of ['words', 'uncertain_words']) db.run(`insert into ${index} (${index}) values (?)`, 'delete-all')
}
