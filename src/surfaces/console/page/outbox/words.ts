/** How letters stand, in words. */
import type { Approval, Letter, LetterDetail, LetterState } from '../api-types.ts'
import type { Tone } from '../parts/badge.tsx'

export const STATES: Readonly<Record<LetterState, readonly [string, Tone]>> = {
  waiting: ['waits for you', 'warn'],
  needs_operator: ['was it sent?', 'bad'],
  approved: ['approved', 'good'],
  claimed: ['being sent', 'calm'],
  sent: ['sent', 'good'],
  failed: ['not sent', 'bad'],
  rejected: ['rejected', 'calm'],
  expired: ['expired', 'calm'],
}

const HOW: Readonly<Record<Approval['via'], (by: string) => string>> = {
  file: () => 'by a file in the vault',
  command: (by) => `by ${by} on the command line`,
  console: (by) => `by ${by} in the console`,
  elicitation: () => "in the agent's own program",
  flow: () => 'by the policy, as everybody who gets it could read all of it anyway',
  policy: () => 'by the policy, which asks nobody',
}

export function approvedBy({ via, by }: Approval): string {
  return HOW[via](by)
}

export function recipientCount({ to, cc, bcc }: Pick<Letter, 'to' | 'cc' | 'bcc'>): number {
  return new Set([...to, ...cc, ...bcc].map(({ address }) => address)).size
}

export function isLookAlike({ marks }: Pick<Letter, 'marks'>): boolean {
  return marks.some(({ mark }) => mark === 'look_alike')
}

export function whenSent({ version }: Pick<Letter, 'version'>): string {
  return version === undefined
    ? 'It is sent when the agent asks again within a day.'
    : 'A running Postern server sends it within a minute.'
}

/** `hidden text (2), loads when opened (1)` */
export function unseenSummary({ unseen }: Pick<LetterDetail, 'unseen'>): string {
  const counts = new Map<string, number>()
  for (const { what, count } of unseen) {
    const kind = what.split(',')[0] ?? what
    counts.set(kind, (counts.get(kind) ?? 0) + count)
  }
  return [...counts].map(([kind, count]) => `${kind} (${count})`).join(', ')
}
