/** How a letter of the outbox stands, and what can be done about it. */
import { APPROVAL_MS, type Approval, type OutboxEntry } from '../../core/outbox/entry.ts'
import { escaped } from './escaped.ts'
import { timeText, untilText } from './letter-times.ts'

/** Whole lines. */
export function nextSteps(entry: OutboxEntry, now: number): string {
  return stepsOf(entry, now)
    .map((line) => `${line}\n`)
    .join('')
}

function stepsOf({ id, state, expires, sending: { version } }: OutboxEntry, now: number): readonly string[] {
  // No agent asks for a version that a person has made.
  const when = version === undefined ? 'when the agent asks again' : 'by a running Postern server within a minute'
  switch (state.kind) {
    case 'waiting':
      return [
        `It waits for a person until ${untilText(expires, now)}.`,
        ...(version === undefined ? [] : [`It is a version of ${version.of} that ${escaped(version.by)} made.`]),
        `After "postern approve ${id}" it is sent ${when}; "postern reject ${id}" rejects it.`,
      ]
    case 'approved':
      return [
        `It was approved ${byText(state.approval)}.`,
        `It is sent ${when}, until ${untilText(state.approval.at + APPROVAL_MS, now)}.`,
        ...(state.lastFailure === undefined ? [] : [`It was not sent when last tried: ${escaped(state.lastFailure)}.`]),
        `"postern reject ${id}" takes the approval back.`,
      ]
    case 'claimed':
      return [`It was approved ${byText(state.approval)}.`, `It is being sent since ${timeText(state.at)}.`]
    case 'needs_operator':
      return [
        'Nobody knows whether it was sent: the line broke before an answer came. It is not tried again.',
        `"postern outbox ${id} --look" looks for it among what was sent. If you know: --sent, or --not-sent.`,
      ]
    case 'sent':
      return [
        `It was approved ${byText(state.approval)}.`,
        `It was sent ${timeText(state.at)}.`,
        ...(state.refused.length === 0
          ? []
          : [`The server did not take it for ${state.refused.map(escaped).join(', ')}.`]),
        ...(state.filed ? [] : ['No copy of it lies among what was sent.']),
      ]
    case 'failed':
      return [`It was not sent, and will not be: ${escaped(state.reason)} (${timeText(state.at)}).`]
    case 'rejected': {
      const why = state.reason === undefined ? '' : `: ${escaped(state.reason)}`
      return [`It was rejected by ${escaped(state.by)}, ${timeText(state.at)}${why}.`]
    }
    case 'expired':
      return ['Its time ran out. The agent has to ask for it anew.']
  }
}

function byText({ via, by, at }: Approval): string {
  const how: Readonly<Record<Approval['via'], string>> = {
    file: 'by a file in the vault',
    command: `by ${escaped(by)} on the command line`,
    console: `by ${escaped(by)} in the console`,
    elicitation: "in the agent's own program",
    flow: 'by the policy, as everybody who gets it could read all of it anyway',
    policy: 'by the policy, which asks nobody',
  }
  return `${how[via]}, ${timeText(at)}`
}
