/**
 * `postern approve ID` and `postern reject ID`: a person's word on one letter.
 *
 * INVARIANT: what is approved is the very letter that was shown, and nobody approves unasked: a person at a terminal says
 * yes, or whoever wrote the command has said `--yes`.
 */
import { Failure } from '../../core/failure.ts'
import { APPROVAL_MS } from '../../core/outbox/entry.ts'
import type { ApproveChoice, RejectChoice } from './choices.ts'
import { isAgreed, requirePerson } from './consent.ts'
import { escaped } from './escaped.ts'
import { shownLetter } from './letter-lines.ts'
import { nextSteps } from './letter-steps.ts'
import { timeText } from './letter-times.ts'
import { type OutboxParts, stopSignal } from './outbox.ts'

const LONGEST_REASON = 500

export async function approveCommand({ id, yes }: ApproveChoice, parts: OutboxParts): Promise<number> {
  const { desk, terminal, person, now } = parts
  // Whether there is such a letter first: whoever mistyped an id is not helped by --yes.
  const shown = await desk.show(id, stopSignal(parts))
  const { entry } = shown
  if (!yes && entry.state.kind === 'waiting') requirePerson(parts)
  terminal.print(`${shownLetter(shown, now())}\n`)
  if (entry.state.kind !== 'waiting') {
    terminal.complain(`postern: it cannot be approved now. ${nextSteps(entry, now())}`)
    return 1
  }
  if (!yes && !(await isAgreed(questionOn(parts.person.name), 'nothing was approved', parts))) {
    terminal.advise(`nothing was approved; it goes on waiting. "postern reject ${entry.id}" refuses it\n`)
    return 1
  }
  // By its whole id: what was the beginning of one letter's id may by now be that of two.
  const { state } = await desk.approve(entry.id, person)
  const until = timeText((state.kind === 'approved' ? state.approval.at : now()) + APPROVAL_MS)
  terminal.print(
    `approved: ${entry.id}. Nothing was sent yet: it is sent when the agent asks for this very letter again, once, until ${until}\n`,
  )
  return 0
}

export async function rejectCommand(
  { id, reason }: RejectChoice,
  { desk, terminal, person }: OutboxParts,
): Promise<number> {
  const why = reasonFrom(reason)
  const entry = await desk.reject(id, person, why)
  const told = why === undefined ? 'the agent is told so' : `the agent is told so, and why: ${escaped(why)}`
  terminal.print(`rejected: ${entry.id}. It will not be sent; ${told}\n`)
  return 0
}

function questionOn(name: string): string {
  return `May this letter be sent, on your word (${escaped(name)})?`
}

function reasonFrom(text: string | undefined): string | undefined {
  const reason = text?.trim()
  if (!reason) return undefined
  if (/\p{Cc}/u.test(reason) || reason.length > LONGEST_REASON) {
    throw new Failure('invalid_input', `--reason is one line of at most ${LONGEST_REASON} characters`)
  }
  return reason
}
