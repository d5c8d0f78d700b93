/** Two thousand records, and what somebody might do to them: all of it is found, in the record where it was done. */
import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { SignedHead } from './attestation.ts'
import { canonicalJson, chain, GENESIS, type Place, placeAfter } from './chain.ts'
import { dayAfter } from './day.ts'
import { endOfDay } from './events.ts'
import type { AuditEntry } from './record.ts'
import { ChainVerifier, type Verification } from './verify.ts'

const DAYS = 100
const RECORDS_A_DAY = 20

interface LogFile {
  readonly day: string
  readonly lines: readonly string[]
  readonly heads: readonly SignedHead[]
}

const hashes = new Map<string, string>()

/** Most lines are hashed thousands of times here. */
function sha256(bytes: Uint8Array | string): string {
  const key = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1')
  const known = hashes.get(key)
  if (known !== undefined) return known
  const digest = hash('sha256', bytes, 'hex')
  if (hashes.size < 10_000) hashes.set(key, digest)
  return digest
}

function entry(index: number): AuditEntry {
  return {
    ts: new Date(1_770_000_000_000 + index * 1000).toISOString(),
    caller_id: `agent-${index % 3}`,
    caller_addr: 'stdio',
    tool: index % 7 === 0 ? 'move_message' : 'fetch_body',
    args_summary: { account: 'work', folder: index % 5 === 0 ? 'Entwürfe' : 'INBOX', uid: index },
    decision: index % 4 === 0 ? 'DENY' : 'ALLOW',
    reason: 'folder_default_applied',
    visibility_granted: 'FULL',
    redacted_fields: [],
    tx_id: null,
    result: 'OK',
    error_type: null,
    latency_ms: index % 100,
  }
}

/** The last record of a day is its `eof_day`; each day has a checkpoint in its middle and one at its end. */
function makeLog(): LogFile[] {
  let place: Place = GENESIS
  let day = '2026-02-02'
  return Array.from({ length: DAYS }, (_, index) => {
    const lines: string[] = []
    const heads: SignedHead[] = []
    const add = (added: AuditEntry): void => {
      const { line, next } = chain(added, place, sha256)
      lines.push(Buffer.from(line).toString('latin1'))
      if (lines.length % (RECORDS_A_DAY / 2) === 0)
        heads.push({ size: lines.length, root: next.prev_hash, trusted: true })
      place = 'final_hash' in added ? placeAfter({ ...added, ...place }, next.prev_hash) : next
    }
    while (lines.length < RECORDS_A_DAY - 1) add(entry(index * RECORDS_A_DAY + lines.length))
    add(index === DAYS - 1 ? entry(index) : endOfDay(`${day}T23:59:59.999Z`, place.prev_hash))
    const file = { day, lines, heads }
    day = dayAfter(day)
    return file
  })
}

const log = makeLog()

const buffers = new Map(log.flatMap(({ lines }) => lines.map((line) => [line, Buffer.from(line, 'latin1')])))

function verify(files: readonly LogFile[]): Verification {
  const verifier = new ChainVerifier(sha256)
  for (const { day, lines, heads } of files) {
    verifier.startFile(`${day}.jsonl`, day, heads)
    for (const line of physicalLines(lines)) {
      verifier.line(buffers.get(line) ?? Buffer.from(line, 'latin1'))
      if (verifier.settled) return verifier.finish()
    }
  }
  return verifier.finish()
}

/** A change may have made two lines of one, or one of two. */
function physicalLines(lines: readonly string[]): readonly string[] {
  if (lines.every((line) => buffers.has(line))) return lines
  return lines.join('').split(/(?<=\n)/)
}

/** A log without its oldest files is verified from its first file on, and nothing later can excuse what is found. */
function verifyChanged(at: number, change: (lines: string[]) => void): Verification {
  const [changed, ...after] = log.slice(at, at + 2)
  if (changed === undefined) throw new Error('no such day')
  const lines = [...changed.lines]
  change(lines)
  return verify([{ ...changed, lines }, ...after])
}

function everyRecord(check: (file: number, at: number) => void): number {
  for (let file = 0; file < DAYS; file += 1) for (let at = 0; at < RECORDS_A_DAY; at += 1) check(file, at)
  return DAYS * RECORDS_A_DAY
}

function expectFoundAt(found: Verification, file: number, at: number): void {
  if (found.kind === 'broken' && found.file === `${log[file]?.day}.jsonl` && found.line === at + 1) return
  throw new Error(`record ${at + 1} of file ${file}: ${JSON.stringify(found)}`)
}

test('the log as it was written is intact, and proved to its last record', () => {
  expect(verify(log)).toMatchObject({
    kind: 'intact',
    records: 2000,
    attestation: { trusted: 200, unknown: 0, bareFiles: 0, unproved: 0 },
  })
})

test('each of 2,000 records taken out is found where it stood', () => {
  const checked = everyRecord((file, at) => {
    expectFoundAt(
      verifyChanged(file, (lines) => lines.splice(at, 1)),
      file,
      at,
    )
  })
  expect(checked).toBe(2000)
})

test('each of 2,000 records put in twice is found at the second', () => {
  const checked = everyRecord((file, at) => {
    expectFoundAt(
      verifyChanged(file, (lines) => lines.splice(at, 0, lines[at] ?? '')),
      file,
      at + 1,
    )
  })
  expect(checked).toBe(2000)
})

test('each of 1,900 pairs swapped is found at the first', () => {
  let pairs = 0
  everyRecord((file, at) => {
    if (at === RECORDS_A_DAY - 1) return
    pairs += 1
    const swap = (lines: string[]): void => void lines.splice(at, 2, lines[at + 1] ?? '', lines[at] ?? '')
    expectFoundAt(verifyChanged(file, swap), file, at)
  })
  expect(pairs).toBe(1900)
})

test('each of 2,000 records written another way is found, in three ways', () => {
  const others: ((text: string) => string)[] = [
    (text) => `${JSON.stringify(JSON.parse(text), null, 1).replaceAll('\n', '')}\n`,
    (text) =>
      text
        .replace('"tool":"', '"tool":"\\u00')
        .replace('\\u00', `\\u00${hexOf(text)}`)
        .replace(/(\\u00..)./, '$1'),
    (text) => `${JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse()))}\n`,
  ]
  const checked = everyRecord((file, at) => {
    for (const other of others) {
      const rewrite = (lines: string[]): void => {
        const before = lines[at] ?? ''
        const after = other(before)
        if (canonicalJson(JSON.parse(after)) !== before.trimEnd() || after === before)
          throw new Error('not the same record')
        lines[at] = after
      }
      expectFoundAt(verifyChanged(file, rewrite), file, at)
    }
  })
  expect(checked).toBe(2000)
})

function hexOf(text: string): string {
  return (/"tool":"(.)/.exec(text)?.[1] ?? '').charCodeAt(0).toString(16)
}

test('every byte of every hundredth record, of an eof_day and of the newest, changed in one bit, is found there', () => {
  let flips = 0
  const flipAll = (file: number, at: number): void => {
    const { length } = log[file]?.lines[at] ?? ''
    for (let byte = 0; byte < length; byte += 1) {
      flips += 1
      expectFoundAt(
        verifyChanged(file, (lines) => flip(lines, at, byte)),
        file,
        at,
      )
    }
  }
  everyRecord((file, at) => {
    if ((file * RECORDS_A_DAY + at) % 100 === 47) flipAll(file, at)
  })
  flipAll(0, 0)
  flipAll(3, RECORDS_A_DAY - 1)
  flipAll(DAYS - 1, RECORDS_A_DAY - 1)
  expect(flips).toBeGreaterThan(9000)
})

function flip(lines: string[], at: number, byte: number): void {
  const line = Buffer.from(lines[at] ?? '', 'latin1')
  line[byte] = (line[byte] ?? 0) ^ (1 << (byte % 8))
  lines[at] = line.toString('latin1')
}

test('a change of value with the whole chain after it made anew is found at the next checkpoint', () => {
  for (const file of [0, 7, DAYS - 1]) {
    for (const at of [0, 7, RECORDS_A_DAY / 2, RECORDS_A_DAY - 2]) {
      const forge = (lines: string[]): void => {
        let place: Place | undefined
        for (let index = at; index < lines.length; index += 1) {
          const { seq, prev_hash, prev_eof_hash, ...kept } = JSON.parse(
            Buffer.from(lines[index] ?? '', 'latin1').toString(),
          )
          place ??= { seq, prev_hash, ...(prev_eof_hash !== undefined && { prev_eof_hash }) }
          const changed = index === at ? { ...kept, decision: kept.decision === 'DENY' ? 'ALLOW' : 'DENY' } : kept
          const ended = 'final_hash' in changed ? { ...changed, final_hash: place.prev_hash } : changed
          const { line, next } = chain(ended, place, sha256)
          lines[index] = Buffer.from(line).toString('latin1')
          place = next
        }
      }
      const checkpoint = at < RECORDS_A_DAY / 2 ? RECORDS_A_DAY / 2 : RECORDS_A_DAY
      const found = verifyChanged(file, forge)
      expect(found).toMatchObject({ kind: 'broken', line: checkpoint, problem: 'not_as_signed' })
    }
  }
})

test('the newest file cut at any record is found, down to the first that is gone', () => {
  for (let left = 0; left < RECORDS_A_DAY; left += 1) {
    const found = verifyChanged(DAYS - 1, (lines) => lines.splice(left))
    expect(found).toMatchObject({ kind: 'broken', line: left + 1, problem: 'cut_short' })
  }
})
