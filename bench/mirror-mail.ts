/**
 * A large mailbox of make-believe mail, the same at every run, oldest first, with words in it of which one knows how often
 * they stand there.
 *
 * INVARIANT: a message is made when it is asked for and kept by nobody, so that any number of them takes little memory.
 */
import type { Delivery } from '../test/dovecot/maildir.ts'

export const MESSAGES = Number(process.env['POSTERN_BENCH_MESSAGES'] ?? 50_000)

/** In one body of two thousand, and in two of three; `PHRASE` stands in three of ten, its words also apart. */
export const RARE = 'xylograph'
export const COMMON = 'meridian'
export const PHRASE = 'silver harvest'
/** In one body of fifty, always in the middle of a longer run. */
export const CJK = '見積書'
/** In every fortieth subject and nowhere else. */
export const SUBJECT_WORD = 'ledger'
export const SENDERS = 500
/** How some twenty of the words begin. */
export const BEGINNING = 'mir'
/** Of every second message, so that words are an eleventh of all bytes, about as in real mailboxes. */
export const ATTACHMENT_BYTES = 100_000

const FIRST = Date.parse('2025-01-01T08:00:00Z') / 1000
const APART = 600
const DAY = 86_400

const VOCABULARY = 20_000
const WORDS_A_BODY = 880
const WORDS_A_LINE = 11
const CJK_RUN = '先日お送りした見積書をご確認ください来週の会議で説明します'

export function address(sender: number): string {
  return `sender${sender}@house${sender % 40}.example`
}

/** Whole days, UTC, in the middle of the mailbox: from the first second of one to that of another. */
export function someDays(): { readonly from: number; readonly before: number } {
  const dayAt = (share: number): number => Math.floor((FIRST + MESSAGES * share * APART) / DAY) * DAY
  return { from: dayAt(0.4), before: dayAt(0.5) + DAY }
}

export function mirrorMail(): readonly Delivery[] {
  return Array.from({ length: MESSAGES }, (_, index) => new Letter(index))
}

class Letter implements Delivery {
  readonly received: number
  readonly seen: boolean
  readonly #index: number

  constructor(index: number) {
    this.#index = index
    this.received = FIRST + index * APART
    this.seen = index % 5 !== 0
  }

  get raw(): string {
    return letter(this.#index, this.received)
  }
}

function letter(index: number, received: number): string {
  const random = randomFrom(index)
  const text = body(index, random)
  const page = index % 4 === 1
  const attached = index % 2 === 1
  const content = part(page ? 'text/html' : 'text/plain', page ? html(text) : text)
  const rest = attached ? mixed(index, content) : content
  return [...header(index, received, random), ...rest, ''].join('\r\n')
}

function header(index: number, received: number, random: () => number): string[] {
  const sender = index % SENDERS
  const word = index % 40 === 7 ? `${SUBJECT_WORD} ` : ''
  const date = new Date(received * 1000).toUTCString().replace('GMT', '+0000')
  const before = index - 1 - Math.floor(random() * 50)
  const answers = random() < 0.4 && before >= 0 ? [`In-Reply-To: <${before}@bench.example>`] : []
  return [
    `Received: from mx${sender % 7}.house.example by mail.bench.example with ESMTP id ${index}; ${date}`,
    `Authentication-Results: mail.bench.example; dmarc=pass header.from=house${sender % 40}.example`,
    `From: Person ${sender} <${address(sender)}>`,
    'To: Reader <reader@bench.example>',
    `Subject: ${word}${words(6, random).join(' ')} ${index}`,
    `Message-ID: <${index}@bench.example>`,
    ...answers,
    `Date: ${date}`,
    'MIME-Version: 1.0',
  ]
}

function body(index: number, random: () => number): string[] {
  const all = words(WORDS_A_BODY, random)
  const put = (text: string): void => void all.splice(Math.floor(random() * all.length), 0, text)
  if (index % 2000 === 11) put(RARE)
  if (random() < 0.68) put(COMMON)
  if (random() < 0.3) put(PHRASE)
  for (const apart of PHRASE.split(' ')) if (random() < 0.5) put(apart)
  if (index % 50 === 9) put(CJK_RUN)
  return Array.from({ length: Math.ceil(all.length / WORDS_A_LINE) }, (_, line) =>
    all.slice(line * WORDS_A_LINE, (line + 1) * WORDS_A_LINE).join(' '),
  )
}

function html(lines: readonly string[]): string[] {
  const rows = lines.map((line) => `<p style="margin:0;color:#222">${line}</p>`)
  return ['<html><head><style>p { line-height: 1.4 }</style></head><body>', ...rows, '</body></html>']
}

function part(type: string, lines: readonly string[]): string[] {
  return [`Content-Type: ${type}; charset=utf-8`, 'Content-Transfer-Encoding: 8bit', '', ...lines]
}

function mixed(index: number, content: readonly string[]): string[] {
  const line = `--bound-${index}`
  return [
    `Content-Type: multipart/mixed; boundary="bound-${index}"`,
    ...['', line, ...content, line],
    `Content-Type: application/octet-stream; name="data-${index}.bin"`,
    `Content-Disposition: attachment; filename="data-${index}.bin"`,
    ...['Content-Transfer-Encoding: base64', '', DATA, `${line}--`],
  ]
}

const DATA = encoded(ATTACHMENT_BYTES)

function encoded(length: number): string {
  const random = randomFrom(length)
  const bytes = Uint8Array.from({ length }, () => Math.floor(random() * 256))
  return (
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  ).join('\r\n')
}

/** Few words stand nearly everywhere, most hardly anywhere. */
function words(count: number, random: () => number): string[] {
  return Array.from({ length: count }, () => VOCABULARY_WORDS[SHARES[Math.floor(random() * SHARES.length)] ?? 0] ?? '')
}

const VOCABULARY_WORDS = Array.from({ length: VOCABULARY }, (_, index) => wordNumbered(index))
const SHARES = sharesByRank()

/** Three syllables, scattered over all that there could be. */
function wordNumbered(index: number): string {
  const scattered = (index * 99_991 + 7) % 80 ** 3
  const syllable = (at: number): string => `${'bdfghklmnprstvwz'[at % 16]}${'aeiou'[Math.floor(at / 16)]}`
  return [scattered % 80, Math.floor(scattered / 80) % 80, Math.floor(scattered / 6400)].map(syllable).join('')
}

/** As many places for a word as its rank allows: the second has half of what the first has. */
function sharesByRank(): Uint16Array {
  const places = new Uint16Array(2 ** 20)
  const total = Array.from({ length: VOCABULARY }, (_, rank) => 1 / (rank + 1)).reduce((sum, share) => sum + share, 0)
  let [filled, sum] = [0, 0]
  for (let rank = 0; rank < VOCABULARY; rank += 1) {
    sum += 1 / (rank + 1) / total
    const end = Math.round(sum * places.length)
    places.fill(rank, filled, end)
    filled = end
  }
  return places
}

function randomFrom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e37_79b1) >>> 0
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixedUp = Math.imul(state ^ (state >>> 15), state | 1)
    mixedUp ^= mixedUp + Math.imul(mixedUp ^ (mixedUp >>> 7), mixedUp | 61)
    return ((mixedUp ^ (mixedUp >>> 14)) >>> 0) / 2 ** 32
  }
}
