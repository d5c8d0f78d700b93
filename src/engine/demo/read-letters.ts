/**
 * Letters out of plain text, so that they can be written and read like letters:
 *
 *     --- id | days ago | mailbox | from > to, cc:somebody | unread flagged at:9:15 re:other-id file:plan.pdf
 *     Subject (left empty in an answer)
 *
 *     Text
 *
 * A charset goes beside the files (`charset:koi8-r`); `fillDays` of the calendar says how a text names a day.
 */
import type { Attachment, Letter } from './letter.ts'

export type Files = Readonly<Record<string, () => Attachment>>

export function readLetters(text: string, files: Files = {}): Letter[] {
  const letters = new Map<string, Letter>()
  for (const piece of text.split(/^--- /m).slice(1)) {
    const letter = readLetter(piece, letters, files)
    letters.set(letter.id, letter)
  }
  return [...letters.values()]
}

function readLetter(piece: string, earlier: ReadonlyMap<string, Letter>, files: Files): Letter {
  const [head = '', subject = '', ...lines] = piece.split('\n')
  const [id = '', days = '', mailbox = '', parties = '', notes = ''] = head.split('|').map((field) => field.trim())
  const [from = '', receivers = ''] = parties.split(' > ').map((field) => field.trim())
  const people = receivers.split(',').map((person) => person.trim())
  const words = notes.split(/\s+/)
  const noted = (name: string): string[] =>
    words.filter((word) => word.startsWith(`${name}:`)).map((word) => word.slice(name.length + 1))
  const [answers] = noted('re')
  const [charset] = noted('charset')
  const [at] = noted('at')
  const cc = people.filter((person) => person.startsWith('cc:')).map((person) => person.slice(3))
  const attachments = noted('file').map((name) => fileNamed(name, files))
  return {
    id,
    days: Number(days),
    mailbox,
    from,
    to: people.filter((person) => person !== '' && !person.startsWith('cc:')),
    subject: subject.trim() || answerSubject(earlier.get(answers ?? '')),
    text: `${lines.join('\n').trim()}\n`,
    ...(cc.length > 0 ? { cc } : {}),
    ...(answers === undefined ? {} : { answers }),
    ...(at === undefined ? {} : { at: hourOf(at) }),
    ...(charset === undefined ? {} : { charset, encoding: encodingFor(charset) }),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(words.includes('unread') ? { unread: true } : {}),
    ...(words.includes('flagged') ? { flags: ['\\Flagged'] } : {}),
  }
}

function hourOf(clock: string): number {
  const [hour = 0, minute = 0] = clock.split(':').map(Number)
  return hour + minute / 60
}

/** As programs of their time did it. */
function encodingFor(charset: string): '7bit' | 'base64' | 'quoted-printable' {
  if (charset === 'iso-2022-jp' || charset === 'us-ascii') return '7bit'
  return charset.startsWith('iso-8859-1') ? 'quoted-printable' : 'base64'
}

function answerSubject(answered: Letter | undefined): string {
  if (answered === undefined) throw new Error('a demo letter has neither a subject nor anything it answers')
  return answered.subject.startsWith('Re: ') ? answered.subject : `Re: ${answered.subject}`
}

function fileNamed(name: string, files: Files): Attachment {
  const make = files[name]
  if (make === undefined) throw new Error(`no demo file is called ${name}`)
  return make()
}
