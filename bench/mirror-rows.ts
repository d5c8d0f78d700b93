/** Messages as a mirror gets them, made up, the same at every run; and rules about them. */
import type { Part } from '../src/core/mime/part.ts'
import type { Row } from '../src/core/mirror/state.ts'
import type { FolderDefinition } from '../src/core/policy/folder.ts'
import type { Level } from '../src/core/policy/level.ts'
import { foldText } from '../src/core/policy/normal-form.ts'
import type { Match } from '../src/core/policy/predicates.ts'

export const ROWS = Number(process.env['POSTERN_BENCH_ROWS'] ?? 500_000)
export const RULES = 20
/** In the subject of one message of fifteen, and of one of a thousand. */
export const COMMON = 'meridian'
export const RARE = 'xylograph'
export const AUTHSERV = 'mx.bench.example'

const PEOPLE = 20_000
const DOMAINS = 500
const VOCABULARY = 20_000
const FIRST = Date.parse('2010-01-01T00:00:00Z') / 1000
const APART = 600
/** When all of it is looked at. */
export const NOW = FIRST + ROWS * APART + 3600

const encoder = new TextEncoder()

export function* rowsBelow(uid: number, many: number): Generator<Row> {
  for (let each = uid; each > uid - many && each > 0; each -= 1) yield row(each)
}

function row(uid: number): Row {
  const random = randomFrom(uid)
  const pick = (below: number): number => Math.floor(random() * below)
  return {
    uid,
    received: FIRST + uid * APART,
    size: 2000 + pick(100_000),
    flags: [...(random() < 0.8 ? ['\\Seen'] : []), ...(random() < 0.03 ? ['\\Flagged'] : [])],
    header: encoder.encode(header(uid, pick, random)),
    headerCut: false,
    structure: STRUCTURES[pick(STRUCTURES.length)] ?? text('1', 'text/plain'),
  }
}

function header(uid: number, pick: (below: number) => number, random: () => number): string {
  const person = pick(PEOPLE)
  const words = Array.from({ length: 5 }, () => wordNumbered(Math.floor(VOCABULARY * random() ** 3)))
  const known = [...(random() < 1 / 15 ? [COMMON] : []), ...(random() < 1 / 1000 ? [RARE] : [])]
  const answers = random() < 0.4 ? [`In-Reply-To: <${uid - 3}@bench.example>`] : []
  return [
    `From: Person ${person} <${addressOf(person)}>`,
    `To: Reader <reader@bench.example>, ${addressOf(pick(PEOPLE))}`,
    `Subject: ${[...known, ...words].join(' ')} ${uid}`,
    `Message-ID: <${uid}@bench.example>`,
    ...answers,
    `Received: from a.example by ${AUTHSERV} with ESMTP id ${uid}; Mon, 1 Jan 2024 00:00:00 +0000`,
    `Authentication-Results: ${AUTHSERV}; dmarc=${random() < 0.9 ? 'pass' : 'fail'} header.from=${domainOf(person)}`,
    '',
  ].join('\r\n')
}

export function addressOf(person: number): string {
  return `person${person}@${domainOf(person)}`
}

function domainOf(person: number): string {
  return `domain${person % DOMAINS}.example`
}

function wordNumbered(index: number): string {
  return `w${index.toString(36)}`
}

/** Twenty of all kinds there are. */
export function mixedRules(mode: 'whitelist' | 'blacklist'): FolderDefinition {
  const levels: readonly Level[] = mode === 'blacklist' ? ['NONE', 'ENVELOPE', 'BODY'] : ['FULL', 'ENVELOPE', 'BODY']
  const rules = Array.from({ length: RULES }, (_, at) => ({
    match: KINDS[at % KINDS.length]?.(at) ?? {},
    level: levels[at % levels.length] ?? 'NONE',
  }))
  return { path: 'INBOX', mode, default: mode === 'blacklist' ? 'FULL' : 'NONE', capabilities: [], rules }
}

const KINDS: readonly ((at: number) => Match)[] = [
  (at) => ({ from_domain: domainOf(at) }),
  (at) => ({ from: addressOf(at) }),
  (at) => ({ subject_contains: foldText(wordNumbered(at * 40)) }),
  (at) => ({ to_contains: foldText(`person${at}0`) }),
  (at) => ({ to: addressOf(at) }),
  (at) => ({ size_gt: 100_000 - at }),
  (at) => ({ has_attachment: true, from_domain: domainOf(at) }),
  (at) => ({ authenticated: true, from_domain: domainOf(at) }),
  (at) => ({ older_than: (at + 1) * 8_000_000, subject_contains: foldText(COMMON) }),
  () => ({ flagged: true }),
]

function text(id: string, type: string): Part {
  const none = { disposition: undefined, filename: undefined, contentId: undefined }
  return { id, type, parameters: { charset: 'utf-8' }, ...none, encoding: '7bit', size: 1234, children: [] }
}

const STRUCTURES: readonly Part[] = [
  text('1', 'text/plain'),
  { ...text('', 'multipart/alternative'), children: [text('1', 'text/plain'), text('2', 'text/html')] },
  {
    ...text('', 'multipart/mixed'),
    children: [
      text('1', 'text/plain'),
      { ...text('2', 'application/pdf'), disposition: 'attachment', filename: 'report.pdf' },
    ],
  },
]

function randomFrom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e37_79b1) >>> 0
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
