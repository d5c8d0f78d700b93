/**
 * Finds the first bad record of a chain. Pure: it is fed the files in date order, line by line, as exact bytes.
 *
 * INVARIANT: every change of any byte of any record that a later record or a checkpoint vouches for is found, and so is a
 * record or a file taken from between two others, or from before a checkpoint. What nothing vouches for cannot be: what
 * follows the last checkpoint may be rewritten or cut off, and the oldest files be gone, without a trace in what is left.
 */
import { type Attestation, AttestationTally, type SignedHead } from './attestation.ts'
import { type ChainedRecord, GENESIS, type Hash, lineHash } from './chain.ts'
import { dayAfter } from './day.ts'
import { EOF_DAY, FILE_MISSING, RETENTION_DELETE, TAIL_TORN } from './events.ts'
import { type LineProblem, readLine } from './line.ts'

export type Problem =
  | LineProblem['kind']
  | 'wrong_seq'
  | 'wrong_prev_hash'
  | 'wrong_prev_eof_hash'
  | 'wrong_final_hash'
  | 'altered'
  | 'after_eof_day'
  | 'no_eof_day'
  | 'wrong_day_order'
  | 'missing_file'
  | 'not_as_signed'
  | 'cut_short'
  | 'bad_checkpoint'
  | 'foreign_checkpoint'

export interface Intact {
  readonly kind: 'intact'
  readonly records: number
  readonly files: number
  readonly firstDay: string | undefined
  readonly lastDay: string | undefined
  /** Whether the first record here is the first one ever. */
  readonly fromTheBeginning: boolean
  /** How many records tell of a torn tail, and of a day without a file. */
  readonly tornTails: number
  readonly missingFiles: number
  /** How many files retention has deleted, as the records say. */
  readonly deletedFiles: number
  readonly attestation: Attestation
}

export interface Broken {
  readonly kind: 'broken'
  readonly file: string
  /** From 1. */
  readonly line: number
  /** As the line says it, where it can be read. */
  readonly seq: number | undefined
  readonly problem: Problem
}

export type Verification = Intact | Broken

interface Seen {
  readonly file: string
  readonly day: string
  readonly line: number
  readonly record: ChainedRecord
  readonly hash: string
}

/** `accuser` says of `accused` what is not so. Which of the two was altered shows when a third vouches for `accuser`. */
interface Dispute {
  readonly accused: Seen
  readonly accuser: Seen
  readonly claim: string
}

export class ChainVerifier {
  readonly #hash: Hash
  #file: { name: string; day: string } | undefined
  #line = 0
  #last: Seen | undefined
  #dispute: Dispute | undefined
  #broken: Broken | undefined
  #tally = { records: 0, files: 0, tornTails: 0, missingFiles: 0, deletedFiles: 0 }
  readonly #attestation = new AttestationTally()
  #first: Seen | undefined

  constructor(hash: Hash) {
    this.#hash = hash
  }

  /** Once there is an answer that no further line can change, reading on is of no use. */
  get settled(): boolean {
    return this.#broken !== undefined
  }

  /** `heads` is what the file's checkpoints say. */
  startFile(name: string, day: string, heads: readonly SignedHead[] = []): void {
    this.#broken ??= this.#troubleBefore(name, day)
    this.#attestation.startFile(heads)
    this.#file = { name, day }
    this.#line = 0
    this.#tally.files += 1
  }

  /** The exact bytes of one line, with its newline where it has one. */
  line(bytes: Uint8Array): void {
    if (this.#file === undefined) throw new Error('a line before the first file')
    this.#line += 1
    this.#broken ??= this.#troubleWith(bytes, { file: this.#file.name, line: this.#line }, this.#file.day)
  }

  /** There are checkpoints of a file, but not the file. */
  missingFile(name: string): void {
    this.#broken ??= this.#cutShort() ?? this.#blame({ file: name, line: 1 }, 'missing_file')
  }

  /** A checkpoint is not what it must be. The records before it are judged already. */
  badCheckpoint(file: string, line: number, problem: 'bad_checkpoint' | 'foreign_checkpoint'): void {
    this.#broken ??= this.#cutShort() ?? this.#blame({ file, line }, problem)
  }

  finish(): Verification {
    this.#broken ??= this.#cutShort()
    if (this.#dispute !== undefined) this.#broken ??= withoutWitness(this.#dispute)
    return (
      this.#broken ?? {
        kind: 'intact',
        ...this.#tally,
        firstDay: this.#first?.day,
        lastDay: this.#last?.day,
        fromTheBeginning: this.#first?.record.prev_hash === GENESIS.prev_hash,
        attestation: this.#attestation.result(),
      }
    )
  }

  #troubleBefore(name: string, day: string): Broken | undefined {
    const before = this.#file
    if (before === undefined) return undefined
    const cut = this.#cutShort()
    if (cut !== undefined) return cut
    if (before.day >= day) return this.#blame({ file: name, line: 1 }, 'wrong_day_order')
    const closed = this.#line > 0 && this.#last?.record.tool === EOF_DAY
    return closed ? undefined : this.#blame({ file: before.name, line: this.#line + 1 }, 'no_eof_day')
  }

  #troubleWith(bytes: Uint8Array, at: { file: string; line: number }, day: string): Broken | undefined {
    const reading = readLine(bytes)
    if (reading.kind !== 'record') return this.#blame(at, reading.kind)
    const seen = { ...at, day, record: reading.record, hash: lineHash(bytes, this.#hash) }
    const problem = shapeProblem(seen, at.line === 1 ? undefined : this.#last)
    return problem === undefined ? this.#brokenLink(seen) : this.#blame(seen, problem)
  }

  #brokenLink(seen: Seen): Broken | undefined {
    const before = this.#last
    const claim = seen.line === 1 ? seen.record.prev_eof_hash : seen.record.prev_hash
    if (this.#dispute !== undefined) return withWitness(this.#dispute, claim)
    if (before !== undefined) {
      const gap = seen.line === 1 ? gapBetween(before, seen) : undefined
      if (gap !== undefined) return blame(seen, gap)
      if (claim !== before.hash) this.#dispute = { accused: before, accuser: seen, claim: claim ?? '' }
    }
    const unlike = this.#unlikeSigned(seen)
    if (unlike === undefined) this.#count(seen)
    return unlike
  }

  #unlikeSigned(seen: Seen): Broken | undefined {
    const agrees = this.#attestation.agrees(seen.line, seen.hash)
    if (agrees === undefined || (agrees && this.#dispute === undefined)) return undefined
    if (this.#dispute !== undefined) return withWitness(this.#dispute, agrees ? seen.hash : undefined)
    return blame(seen, 'not_as_signed')
  }

  /** The file that was read last has fewer lines than a checkpoint of it says. */
  #cutShort(): Broken | undefined {
    if (this.#file === undefined || this.#attestation.isWhole(this.#line)) return undefined
    return this.#blame({ file: this.#file.name, line: this.#line + 1 }, 'cut_short')
  }

  #count(seen: Seen): void {
    this.#first ??= seen
    this.#last = seen
    this.#tally.records += 1
    this.#attestation.count(seen.line)
    if (seen.record.tool === RETENTION_DELETE) this.#tally.deletedFiles += 1
    if (seen.record.tool === TAIL_TORN) this.#tally.tornTails += 1
    if (seen.record.tool === FILE_MISSING) this.#tally.missingFiles += 1
  }

  /** A dispute is about an earlier record than whatever comes after it. */
  #blame(at: Blamed, problem: Problem): Broken {
    return this.#dispute === undefined ? blame(at, problem) : withoutWitness(this.#dispute)
  }
}

interface Blamed {
  readonly file: string
  readonly line: number
  readonly record?: ChainedRecord
}

function blame({ file, line, record }: Blamed, problem: Problem): Broken {
  return { kind: 'broken', file, line, seq: record?.seq, problem }
}

/** The next record knows the accuser as it was written. */
function withWitness({ accused, accuser }: Dispute, witness: string | undefined): Broken {
  return witness === accuser.hash ? blame(accused, 'altered') : blame(accuser, 'wrong_prev_hash')
}

/** The accuser is the last record that can be read: a claim that is nearly right was changed itself. */
function withoutWitness({ accused, accuser, claim }: Dispute): Broken {
  return nearlySame(claim, accused.hash) ? blame(accuser, 'wrong_prev_hash') : blame(accused, 'altered')
}

/** What is wrong with a record by itself and by its number; `before` is the one above it in the same file. */
function shapeProblem({ record }: Seen, before: Seen | undefined): Problem | undefined {
  if (before?.record.tool === EOF_DAY) return 'after_eof_day'
  if (record.seq !== (before === undefined ? 0 : before.record.seq + 1)) return 'wrong_seq'
  if (before !== undefined && record.prev_eof_hash !== undefined) return 'wrong_prev_eof_hash'
  const expected = record.tool === EOF_DAY ? record.prev_hash : undefined
  return record.final_hash === expected ? undefined : 'wrong_final_hash'
}

/** What is wrong between the `eof_day` of one file and the first record of the next. */
function gapBetween(eof: Seen, first: Seen): Problem | undefined {
  const { prev_hash, prev_eof_hash } = first.record
  if (prev_hash === eof.record.final_hash) return prev_eof_hash === undefined ? 'wrong_prev_eof_hash' : undefined
  const follows = prev_eof_hash === eof.hash || dayAfter(eof.day) === first.day
  return follows ? 'wrong_prev_hash' : 'missing_file'
}

/** Two unrelated hashes differ in about 60 of 64 digits. */
function nearlySame(a: string, b: string): boolean {
  let different = 0
  for (let at = 0; at < b.length; at += 1) if (a[at] !== b[at]) different += 1
  return different < 16
}
