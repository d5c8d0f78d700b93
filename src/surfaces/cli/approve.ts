/**
 * `postern approve ID` and `postern reject ID`: a person decides about one outgoing message.
 *
 * INVARIANT: what is approved is the very message that was shown, and nobody approves unasked: a person at a terminal says
 * yes, or the command has `--yes`. What recipients will not see needs an answer, or an option, of its own.
 */
import { Failure } from '../../core/failure.ts'
import { APPROVAL_MS, type OutboxEntry } from '../../core/outbox/entry.ts'
import { summaryOf } from '../../core/outbox/unseen.ts'
import type { ShownLetter } from '../../engine/outbox/desk.ts'
import type { ApproveChoice, RejectChoice } from './choices.ts'
import { isAgreed, requirePerson } from './consent.ts'
import { escaped } from './escaped.ts'
import { shownLetter } from './letter-lines.ts'
import { nextSteps } from './letter-steps.ts'
import { timeText } from './letter-times.ts'
import { type OutboxParts, stopSignal } from './outbox.ts'

const LONGEST_REASON = 500

export async function approveCommand(choice: ApproveChoice, parts: OutboxParts): Promise<number> {
  const { desk, terminal, now } = parts
  const asked = choice.yes ? undefined : parts
  // Whether there is such a message first: whoever mistyped an id is not helped by --yes.
  const first = await desk.show(choice.id, stopSignal(parts))
  if (asked !== undefined && first.entry.state.kind === 'waiting') requirePerson(parts)
  const shown = first.entry.state.kind === 'waiting' ? await chosenVersion(first, choice, parts) : first
  const { entry } = shown
  terminal.print(`${shownLetter(shown, now())}\n`)
  if (entry.state.kind !== 'waiting') {
    terminal.complain(`postern: it cannot be approved now. ${nextSteps(entry, now())}`)
    return 1
  }
  if (!(await isAcknowledged(shown, choice, parts))) return 1
  if (asked !== undefined && !(await isAgreed(questionOn(parts.person.name), 'nothing was approved', asked))) {
    return declined(entry.id, parts)
  }
  // By its whole id: what was the beginning of one message's id may by now be that of two.
  terminal.print(approvedText(await desk.approve(entry.id, parts.person, shown.review.unseen.length > 0), now()))
  return 0
}

async function chosenVersion(first: ShownLetter, { version }: ApproveChoice, parts: OutboxParts): Promise<ShownLetter> {
  if (version === undefined) return first
  const made = await parts.desk.revise(first.entry.id, version, parts.person, stopSignal(parts))
  return parts.desk.show(made.id, stopSignal(parts))
}

/** What recipients will not see is agreed to by itself: by an answer, or by an option that says so. */
async function isAcknowledged(
  { entry, review: { unseen } }: ShownLetter,
  { yes, acknowledgeHidden }: ApproveChoice,
  parts: OutboxParts,
): Promise<boolean> {
  if (unseen.length === 0 || acknowledgeHidden) return true
  const { terminal } = parts
  const what = `This message holds content that its recipients will not see: ${escaped(summaryOf(unseen))}.`
  if (yes) {
    terminal.complain(`postern: nothing was approved. ${what} It is listed above.\n`)
    terminal.advise(
      `"postern approve ${entry.id} --yes --acknowledge-hidden" sends it with that content; --as-text or --remove-hidden makes a version without it.\n`,
    )
    return false
  }
  if (await isAgreed(`${what} Send that as well?`, 'nothing was approved', parts)) return true
  declined(entry.id, parts)
  if (entry.sending.version === undefined) {
    terminal.advise(
      `"postern approve ${entry.id} --as-text" or "--remove-hidden" makes a version without that content.\n`,
    )
  }
  return false
}

function declined(id: string, { terminal }: OutboxParts): number {
  terminal.advise(`nothing was approved; it stays pending. "postern reject ${id}" rejects it\n`)
  return 1
}

function approvedText({ id, sending, state }: OutboxEntry, now: number): string {
  const replaced = sending.version && ` The message that it replaces, ${sending.version.of}, is rejected.`
  if (state.kind === 'sent') return `sent: ${id}.${replaced ?? ''}\n`
  if (state.kind === 'needs_operator') return `outcome unknown: ${id}. "postern outbox ${id}" says what to do.\n`
  if (state.kind === 'failed') return `failed: ${id}. It was not sent: ${escaped(state.reason)}.${replaced ?? ''}\n`
  if (replaced !== undefined) return `approved: ${id}. A running Postern server sends it within a minute.${replaced}\n`
  const until = timeText((state.kind === 'approved' ? state.approval.at : now) + APPROVAL_MS)
  return `approved: ${id}. Nothing was sent yet: it is sent when the agent asks for this very message again, once, until ${until}\n`
}

export async function rejectCommand(
  { id, reason }: RejectChoice,
  { desk, terminal, person }: OutboxParts,
): Promise<number> {
  const why = reasonFrom(reason)
  const entry = await desk.reject(id, person, why)
  const { version } = entry.sending
  if (version !== undefined) {
    terminal.print(
      `rejected: ${entry.id}. This version will not be sent. The message of the agent, ${version.of}, is unchanged.\n`,
    )
    return 0
  }
  const told = why === undefined ? 'the agent is told so' : `the agent is told so, and why: ${escaped(why)}`
  terminal.print(`rejected: ${entry.id}. It will not be sent; ${told}\n`)
  return 0
}

function questionOn(name: string): string {
  return `Approve this message as ${escaped(name)}?`
}

function reasonFrom(text: string | undefined): string | undefined {
  const reason = text?.trim()
  if (!reason) return undefined
  if (/\p{Cc}/u.test(reason) || reason.length > LONGEST_REASON) {
    throw new Failure('invalid_input', `--reason is one line of at most ${LONGEST_REASON} characters`)
  }
  return reason
}
