/**
 * Letters on their way out.
 *
 * INVARIANT: nothing leaves that is not in the store, approved for exactly what it is, and claimed before its first byte. In this
 * order: whether anything may leave, approval, limit, claim, sending. The same letter, asked for again, is the same entry, and
 * its caller is told what became of it.
 */
import type { Ask } from '../../core/call/question.ts'
import { Failure } from '../../core/failure.ts'
import type { ApprovalFile, Approvals } from '../../core/outbox/approval-file.ts'
import { type Approval, approvalFile, type OutboxEntry, WAITING_MS } from '../../core/outbox/entry.ts'
import { isOpen } from '../../core/outbox/machine.ts'
import { type Found, findApproval } from '../../core/outbox/match-approval.ts'
import { canonicalSending, type Sending } from '../../core/outbox/sending.ts'
import { hasRoom, type SendRules } from '../../core/policy/sending.ts'
import type { SendEnding } from '../../core/send-ending.ts'
import { unlessAborted } from '../../core/unless-aborted.ts'
import type { Full, Known, Queued } from '../../ports/outbox-store.ts'
import type { ReadMail } from '../../ports/read-notes.ts'
import type { Account } from '../accounts/accounts.ts'
import { Decisions } from './decisions.ts'
import { deliver } from './deliver.ts'
import { FLOW_MS, mayFlow, NOTED_AGAIN_MS, whoeverReads } from './flow.ts'
import { marksFor } from './marks.ts'
import { type OutboxParts, SEND_LIMIT } from './parts.ts'
import { questionOf } from './question.ts'
import { Remembered } from './remembered.ts'
import { htmlOf } from './review.ts'
import { settledEnding } from './settled-ending.ts'
import { type Similar, similarEnding, similarTo } from './similar-to.ts'

export interface SendRequest {
  readonly sending: Sending
  readonly messageId: string
  readonly bytes: Uint8Array
  readonly account: Account
  readonly rules: SendRules
  /** What the letter takes along of other people's mail. */
  readonly taken: readonly ReadMail[]
  /** Asks whoever sits at the agent's program, where that can be. */
  readonly ask?: Ask | undefined
}

export class Outbox {
  readonly #parts: OutboxParts
  readonly #remembered = new Remembered()
  readonly #decisions: Decisions

  constructor(parts: OutboxParts) {
    this.#parts = parts
    this.#decisions = new Decisions(parts)
  }

  /** Whether nothing may leave: everything is only noted. */
  async heldBack(): Promise<boolean> {
    return this.#parts.devMode
  }

  /** Notes whose mail the caller has been shown. The answer must not leave before. */
  async noteReading(caller: string, read: readonly ReadMail[]): Promise<void> {
    const now = this.#parts.clock.now()
    const fresh = this.#remembered.fresh(caller, read, now)
    if (fresh.length === 0) return
    await this.#parts.notes.note(caller, fresh, now)
    this.#remembered.keep(caller, fresh, now)
  }

  /**
   * Notes what the caller leaves in an account for others to read: whatever it writes there may hold anything that it has read,
   * and a message says nothing about who has it that was never sent. Nothing may be left before.
   */
  async noteLeaving(caller: string, account: string, taken: readonly ReadMail[] = []): Promise<void> {
    const { notes, clock } = this.#parts
    const read = await notes.since(caller, clock.now() - FLOW_MS - NOTED_AGAIN_MS)
    await this.noteReading(whoeverReads(account), [...read, ...taken])
  }

  async send(request: SendRequest, signal: AbortSignal): Promise<SendEnding> {
    if (this.#parts.devMode) return { kind: 'held_back' }
    const gone = await this.#dispatched(request, signal)
    if (gone !== undefined) return gone
    const queued = await this.#queued(request, signal)
    if (queued.kind === 'full') return { kind: 'pending_limit', held: queued.held, limit: request.rules.pendingLimit }
    const { id, digest } = queued.entry
    const letter = { id, digest }
    if (queued.kind === 'similar') return { letter, ...(await similarEnding(queued, this.#parts)) }
    const ending = await this.#heard(queued.entry, request, signal)
    const earlier = queued.kind === 'queued' && ending.kind === 'waiting' ? overOf(queued.earlier) : {}
    return { letter, ...ending, ...earlier }
  }

  async #heard(queued: OutboxEntry, request: SendRequest, signal: AbortSignal): Promise<SendEnding> {
    const settled = await settledEnding(queued, request.account, this.#parts)
    if (settled !== undefined) return settled
    const { entry, notes } = await this.#approved(queued, request)
    if (entry.state.kind !== 'waiting') return this.#goesOn(entry, request, signal)
    // The file that would have said yes may be gone because another call has just sent the letter by it.
    const latest = await this.#parts.store.get(entry.id)
    if (latest !== undefined && latest.state.kind !== 'waiting') return this.#goesOn(latest, request, signal)
    const waiting = await this.#waits(entry, request.rules, notes)
    const asked = await this.#asked(entry, request, signal)
    return asked === undefined ? waiting : this.#goesOn(asked, request, signal)
  }

  /** One that nobody is asked about, and that nobody has heard of: in one step, and shown to nobody. */
  async #dispatched(request: SendRequest, signal: AbortSignal): Promise<SendEnding | undefined> {
    const { store, clock, limit = SEND_LIMIT } = this.#parts
    const now = clock.now()
    const approval = await this.#byRule(request, now)
    if (approval === undefined) return undefined
    const entry = this.#newEntry(request, now)
    const { pendingLimit } = request.rules
    const claim = await store.dispatch(entry, request.bytes, approval, limit, pendingLimit)
    if (claim.kind === 'known') return undefined
    if (claim.kind === 'full') return { kind: 'pending_limit', held: claim.held, limit: pendingLimit }
    if (claim.kind === 'limited') return { kind: 'limited', waitMs: claim.waitMs, most: limit.most }
    if (claim.kind === 'gone') return this.#ended(claim.entry, request, signal)
    return this.#delivered(claim.entry, request, signal, { isShown: false, bytes: request.bytes })
  }

  /** The yes of a rule, where the policy has one that says so. */
  async #byRule({ rules, sending, taken }: SendRequest, now: number): Promise<Approval | undefined> {
    const by = sending.caller
    if (rules.approval === 'never') return { via: 'policy', by, at: now }
    const isFree = rules.approval === 'flow' && (await mayFlow(sending, taken, rules, this.#parts.notes, now))
    return isFree ? { via: 'flow', by, at: now } : undefined
  }

  /** With a letter as it is by now: another call may have gone on with it in the meantime. */
  #goesOn(entry: OutboxEntry, request: SendRequest, signal: AbortSignal): Promise<SendEnding> {
    if (entry.state.kind === 'approved') return this.#claimed(entry, request, signal)
    return this.#ended(entry, request, signal)
  }

  async #ended(entry: OutboxEntry, request: SendRequest, signal: AbortSignal): Promise<SendEnding> {
    const ending = await settledEnding(entry, request.account, this.#parts)
    if (ending !== undefined) return ending
    // What is over is asked for again.
    return isOpen(entry.state) ? this.#waits(entry, request.rules) : this.send(request, signal)
  }

  /** What comes back through the agent's own program counts only where the policy says so; else it is told, not asked. */
  async #asked(entry: OutboxEntry, { ask, rules }: SendRequest, signal: AbortSignal): Promise<OutboxEntry | undefined> {
    if (ask === undefined) return undefined
    const html = await htmlOf(entry, this.#parts.review, signal)
    const question = questionOf(entry, rules.elicitation === 'sufficient', html)
    const reply = await ask(question, signal)
    if (rules.elicitation !== 'sufficient' || reply !== 'accepted') return undefined
    const { vault, clock } = this.#parts
    const now = clock.now()
    // Whoever was asked may have taken long, and another person said no meanwhile.
    if (await vault.isRejected(entry.id)) return this.#decisions.reject(entry, now)
    const approval = { via: 'elicitation', by: entry.sending.caller, at: now } as const
    return this.#decisions.approve(entry, approval)
  }

  async #queued(request: SendRequest, signal: AbortSignal): Promise<Queued | Known | Full | Similar> {
    const { store, notes, clock } = this.#parts
    const { sending, account, bytes, rules } = request
    const now = clock.now()
    const entry = this.#newEntry(request, now)
    const known = await store.find(entry.digest, now)
    if (known !== undefined) return { kind: 'known', entry: known }
    // The store looks again when it keeps the message; a caller that goes on asking must not cost more than this.
    const held = await store.held(sending.caller, now)
    if (!hasRoom(held, bytes.length, rules.pendingLimit)) return { kind: 'full', held }
    const similar = await this.#similar(entry, request, now)
    if (similar !== undefined) return similar
    const read = await notes.since(sending.caller, now - FLOW_MS)
    const marks = await marksFor(sending, account, { digest: entry.digest, now: entry.created }, store, read, signal)
    return store.queue({ ...entry, marks }, bytes, rules.pendingLimit)
  }

  /** None where the person is asked about this very message in this call. */
  async #similar(entry: OutboxEntry, { rules, ask }: SendRequest, now: number): Promise<Similar | undefined> {
    if (ask !== undefined && rules.elicitation === 'sufficient') return undefined
    const isSaid = ({ state }: OutboxEntry): boolean => state.kind === 'approved' && stands(state.approval, rules)
    // Files do not approve versions.
    const isInVault = (one: OutboxEntry, approvals: Approvals): boolean =>
      one.sending.version === undefined && this.#found(one, approvals, rules, now).kind === 'approved'
    return similarTo(entry, now, this.#parts, (one, approvals) => isSaid(one) || isInVault(one, approvals))
  }

  #newEntry({ sending, messageId, bytes }: SendRequest, now: number): OutboxEntry {
    const { digest, newId } = this.#parts
    return {
      id: newId(),
      digest: digest(canonicalSending(sending)),
      sending,
      messageId,
      bytesDigest: digest(bytes),
      marks: [],
      created: now,
      expires: now + WAITING_MS,
      state: { kind: 'waiting' },
    }
  }

  /** The entry as it stands after everybody who may approve it was heard. */
  async #approved(entry: OutboxEntry, request: SendRequest): Promise<Heard> {
    const { vault, clock } = this.#parts
    const { rules } = request
    const now = clock.now()
    if (await vault.isRejected(entry.id)) {
      return { entry: await this.#decisions.reject(entry, now), notes: [] }
    }
    if (entry.state.kind === 'approved' && stands(entry.state.approval, rules)) return { entry, notes: [] }
    const byRule = await this.#byRule(request, now)
    if (byRule !== undefined) return this.#approve(entry, byRule)
    const found = await this.#inVault(entry, rules, now)
    if (found.kind === 'approved') return this.#approve(entry, { via: 'file', by: 'vault', at: now, file: found.file })
    // What said yes when it was last asked for, a file or a rule, does so no more.
    if (entry.state.kind === 'approved') {
      return { entry: await this.#decisions.withdraw(entry), notes: found.notes }
    }
    return { entry, notes: found.notes }
  }

  async #inVault(entry: OutboxEntry, rules: SendRules, now: number): Promise<Found> {
    const { vault, log } = this.#parts
    const approvals = await vault.approvals()
    const found = this.#found(entry, approvals, rules, now)
    for (const { file, why } of approvals.ignored)
      log.warn({ file, why }, 'a file among the approvals counts for nothing')
    return found
  }

  #found(entry: OutboxEntry, approvals: Approvals, { requireDigest }: SendRules, now: number): Found {
    const senders = this.#parts.accounts.current.list().filter(({ sender }) => sender !== undefined)
    return findApproval(entry, approvals, { now, requireDigest, onlyAccount: senders.length === 1 })
  }

  async #approve(entry: OutboxEntry, approval: Approval): Promise<Heard> {
    if (entry.state.kind === 'approved') {
      const { via, file } = entry.state.approval
      if (via === approval.via && file === approval.file) return { entry, notes: [] }
      await this.#decisions.withdraw(entry)
    }
    return { entry: await this.#decisions.approve(entry, approval), notes: [] }
  }

  async #claimed(entry: OutboxEntry, request: SendRequest, signal: AbortSignal): Promise<SendEnding> {
    const { store, clock, limit = SEND_LIMIT } = this.#parts
    const claim = await store.claim(entry.id, clock.now(), limit)
    if (claim.kind === 'limited') return { kind: 'limited', waitMs: claim.waitMs, most: limit.most }
    if (claim.kind === 'gone') return this.#ended(claim.entry, request, signal)
    if (await this.#took(claim.entry, request.rules)) return this.#delivered(claim.entry, request, signal)
    return this.#waits(await store.record(entry.id, { kind: 'step_back' }), request.rules)
  }

  /** A sending that takes longer than its call goes on without it, and ends in the store. */
  async #delivered(
    entry: OutboxEntry,
    { account }: SendRequest,
    signal: AbortSignal,
    atHand?: Parameters<typeof deliver>[4],
  ): Promise<SendEnding> {
    const delivery = deliver(entry, account, this.#parts, signal, atHand)
    const ending = await unlessAborted(delivery, signal)
    if (ending !== undefined) return ending
    delivery.catch((err: unknown) => this.#parts.log.warn({ id: entry.id, err }, 'a message could not be sent'))
    return { kind: 'sending', id: entry.id }
  }

  /** Whether the file that approves it is used up by this letter, and by no other, and approves it still. */
  async #took(entry: OutboxEntry, rules: SendRules): Promise<boolean> {
    const { store, vault, clock } = this.#parts
    const file = approvalFile(entry)
    const allows = (as: ApprovalFile): boolean =>
      this.#found(entry, { files: [as], ignored: [] }, rules, clock.now()).kind === 'approved'
    try {
      // Nobody can say no any more once it is on its way: this is the last moment.
      if (await vault.isRejected(entry.id)) return false
      return file === undefined || (await vault.take(file, entry.id, allows))
    } catch (error) {
      await store.record(entry.id, { kind: 'give_back', reason: error instanceof Failure ? error.code : 'internal' })
      throw error
    }
  }

  async #waits(
    entry: OutboxEntry,
    { requireDigest }: SendRules,
    notes: readonly string[] = [],
  ): Promise<Extract<SendEnding, { kind: 'waiting' }>> {
    const { vault, clock } = this.#parts
    const file = await vault.post(entry, clock.now())
    return { kind: 'waiting', id: entry.id, file, notes, byHand: !requireDigest }
  }
}

interface Heard {
  readonly entry: OutboxEntry
  readonly notes: readonly string[]
}

/**
 * What a person has said to us stays said. All else is asked again, file and rule alike: a letter that was free while it had
 * to wait for its turn is not free any more once its caller has read what should not leave.
 */
function stands({ via }: Approval, { elicitation }: SendRules): boolean {
  return via === 'command' || via === 'console' || (via === 'elicitation' && elicitation === 'sufficient')
}

/** What is told of an earlier request that is over. */
function overOf(earlier: OutboxEntry | undefined): Pick<Extract<SendEnding, { kind: 'waiting' }>, 'earlier'> {
  if (earlier?.state.kind !== 'expired' && earlier?.state.kind !== 'failed') return {}
  return { earlier: { id: earlier.id, state: earlier.state.kind, at: earlier.state.at } }
}
