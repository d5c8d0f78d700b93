/**
 * Whether a file among the approvals allows this letter to go out.
 *
 * INVARIANT: a file allows a letter only if nothing that stands in it speaks of another one. One with a digest allows exactly the
 * letter of that digest; one without names everybody who gets it. Where two say different things, nothing is allowed.
 */
import { strictAddress } from '../compose/strict-address.ts'
import { Failure } from '../failure.ts'
import type { ApprovalFile, Approvals } from './approval-file.ts'
import { APPROVAL_MS, type OutboxEntry } from './entry.ts'
import { addressKey, type Sending } from './sending.ts'

export interface MatchRules {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Whether only files with a digest count. */
  readonly requireDigest: boolean
  /** Whether its account is the only one that can send: else a file without a digest has to name it. */
  readonly onlyAccount: boolean
}

/** A note is a file's name and why it counts for nothing. */
export type Found =
  | { readonly kind: 'approved'; readonly file: string }
  | { readonly kind: 'none'; readonly notes: readonly string[] }

/** Clocks differ a little. */
const AHEAD_MS = 5 * 60 * 1000

export function findApproval(entry: OutboxEntry, approvals: Approvals, rules: MatchRules): Found {
  const judged = approvals.files.map((file) => ({ file, verdict: judge(file, entry, rules) }))
  const matching = judged.filter(({ verdict }) => verdict === 'matches').map(({ file }) => file)
  const [oldest, ...others] = matching.toSorted((a, b) => a.at - b.at || (a.file < b.file ? -1 : 1))
  if (oldest !== undefined && others.every((other) => saysTheSame(oldest, other))) {
    return { kind: 'approved', file: oldest.file }
  }
  const differing = matching.map(({ file }) => `${file} allows it, and another file does so in other words`)
  const objections = judged.flatMap(({ file, verdict }) =>
    verdict === 'matches' || verdict === 'is about another' ? [] : [`${file.file} ${verdict.objection}`],
  )
  const ignored = approvals.ignored.map(({ file, why }) => `${file} ${why}`)
  return { kind: 'none', notes: [...differing, ...objections, ...ignored] }
}

type Verdict = 'matches' | 'is about another' | { readonly objection: string }

function judge(file: ApprovalFile, entry: OutboxEntry, rules: MatchRules): Verdict {
  const verdict = file.digest === undefined ? judgeFields(file, entry, rules) : judgeDigest(file, entry)
  if (verdict !== 'matches') return verdict
  if (rules.now >= file.at + APPROVAL_MS) return { objection: 'has expired' }
  if (file.at > rules.now + AHEAD_MS) return { objection: 'is dated in the future' }
  return 'matches'
}

/** A request of ours was approved by moving it; whoever wrote a digest by hand has to say so. */
function judgeDigest(file: ApprovalFile, entry: OutboxEntry): Verdict {
  const isSameId = file.id === entry.id
  if (file.digest !== entry.digest) return isSameId ? { objection: 'has the digest of another message' } : OTHER
  if (file.id !== undefined && !isSameId) return { objection: 'is the request of an earlier letter' }
  if (statusOf(file) === 'rejected') return { objection: 'says that it is rejected' }
  if (!isSameId && file.type.toLowerCase() !== TYPES[entry.sending.kind]) return { objection: 'has another type' }
  if (!isSameId && statusOf(file) !== 'approved') return NOT_APPROVED
  return contradiction(file, entry.sending) ?? 'matches'
}

function judgeFields(file: ApprovalFile, { id, sending }: OutboxEntry, rules: MatchRules): Verdict {
  if (file.id === id && file.type === 'notice') {
    return { objection: 'shows only a part of the message, so it approves nothing' }
  }
  if (file.type.toLowerCase() !== TYPES[sending.kind]) return OTHER
  const isNamed =
    sending.kind === 'send'
      ? sameSet(file.to, sending.to)
      : file.threadId !== undefined && file.threadId === sending.thread?.id
  if (!isNamed) return OTHER
  if (rules.requireDigest) return { objection: 'has no digest, which is required here' }
  if (file.id !== undefined && file.id !== id) return { objection: 'has the id of another letter' }
  if (statusOf(file) !== 'approved') return NOT_APPROVED
  if (file.account === undefined && !rules.onlyAccount) {
    return { objection: 'does not say which account may send it' }
  }
  if (!sameSet(file.cc, sending.cc)) return differsIn('cc')
  if (!sameSet(file.bcc, sending.bcc)) return differsIn('bcc')
  return contradiction(file, sending) ?? 'matches'
}

const TYPES = { send: 'email_send', reply: 'email_reply' } as const
const OTHER = 'is about another'
const NOT_APPROVED: Verdict = { objection: 'does not say status: approved' }

function differsIn(field: string): Verdict {
  return { objection: `differs from the letter in its ${field}` }
}

/** Whatever it says about the letter has to be so: somebody may have changed it. */
function contradiction(file: ApprovalFile, sending: Sending): Verdict | undefined {
  const differs = (written: readonly string[], people: Sending['to']): boolean =>
    written.length > 0 && !sameSet(written, people)
  if (differs(file.to, sending.to)) return differsIn('to')
  if (differs(file.cc, sending.cc)) return differsIn('cc')
  if (differs(file.bcc, sending.bcc)) return differsIn('bcc')
  if (file.subject !== undefined && file.subject !== sending.subject.trim()) return differsIn('subject')
  if (file.threadId !== undefined && file.threadId !== sending.thread?.id) return differsIn('thread_id')
  if (file.account !== undefined && file.account !== sending.account) return differsIn('account')
  return undefined
}

function statusOf({ status }: ApprovalFile): string | undefined {
  return status?.toLowerCase()
}

/** One that cannot be read as an address is nobody's. */
function sameSet(written: readonly string[], people: Sending['to']): boolean {
  const keys = keysOf(written)
  const wanted = new Set(people.map(({ address }) => addressKey(address)))
  return keys !== undefined && keys.size === wanted.size && [...wanted].every((key) => keys.has(key))
}

function keysOf(written: readonly string[]): ReadonlySet<string> | undefined {
  try {
    return new Set(written.map((text) => addressKey(strictAddress(text, 'to').address)))
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** The status says when it was moved, not what it allows. */
function saysTheSame(a: ApprovalFile, b: ApprovalFile): boolean {
  return saying(a) === saying(b)
}

function saying({ id, digest, type, to, cc, bcc, subject, threadId, account }: ApprovalFile): string {
  const people = [to, cc, bcc].map((list) => [...(keysOf(list) ?? list)].toSorted())
  return JSON.stringify([id, digest, type.toLowerCase(), people, subject, threadId, account].map((one) => one ?? null))
}
