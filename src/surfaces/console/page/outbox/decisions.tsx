/**
 * What a person can say about a letter. Each is asked once more before it counts.
 *
 * INVARIANT: an approval names the digest of the letter that was on the screen.
 */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Letter, LetterDetail, Looked } from '../api-types.ts'
import { post } from '../client.ts'
import type { Version } from '../outgoing-types.ts'
import { Ask } from '../parts/ask.tsx'
import { notice } from '../parts/notices.tsx'
import { go } from '../route.ts'
import { AskApproval } from './ask-approval.tsx'

export type Decision = Version['how'] | 'approve' | 'reject' | 'look' | 'sent' | 'not_sent'

export interface PossibleDecision {
  readonly kind: Decision
  readonly words: string
  readonly key: string
  readonly tone: string
}

const APPROVE: PossibleDecision = { kind: 'approve', words: 'Approve', key: 'a', tone: 'primary good' }
const REJECT: PossibleDecision = { kind: 'reject', words: 'Reject', key: 'r', tone: 'bad' }
const SETTLING: readonly PossibleDecision[] = [
  { kind: 'look', words: 'Look for it', key: 'l', tone: 'primary' },
  { kind: 'sent', words: 'It was sent', key: 's', tone: '' },
  { kind: 'not_sent', words: 'It was not sent', key: 'n', tone: '' },
]

const AS_TEXT: PossibleDecision = { kind: 'plain_text', words: 'Send as plain text', key: 't', tone: '' }
const CLEANED: PossibleDecision = { kind: 'without_hidden', words: 'Remove hidden content', key: 'h', tone: '' }

export function decisionsFor({ state, unseen, html }: LetterDetail): readonly PossibleDecision[] {
  if (state === 'waiting' && unseen.length === 0) return [APPROVE, REJECT]
  if (state === 'waiting') return [APPROVE, REJECT, ...(html === undefined ? [] : [AS_TEXT]), CLEANED]
  if (state === 'approved') return [{ ...REJECT, words: 'Take the approval back' }]
  return state === 'needs_operator' ? SETTLING : []
}

interface DecisionsProps {
  readonly letter: LetterDetail
  readonly decision: Decision
  readonly onClose: () => void
}

export function Decisions({ letter, decision, onClose }: DecisionsProps): JSX.Element {
  const path = `/outbox/${encodeURIComponent(letter.id)}`
  switch (decision) {
    case 'approve':
      return <AskApproval letter={letter} path={path} onClose={onClose} />
    case 'reject':
      return <AskReason path={path} isVersion={letter.version !== undefined} onClose={onClose} />
    case 'plain_text':
    case 'without_hidden':
      return <AskVersion path={path} how={decision} onClose={onClose} />
    case 'look':
      return <AskLook path={path} account={letter.account} onClose={onClose} />
    case 'sent':
    case 'not_sent':
      return <AskSettle path={path} wasSent={decision === 'sent'} onClose={onClose} />
  }
}

interface AskAbout {
  readonly path: string
  readonly onClose: () => void
}

function AskReason({ path, isVersion, onClose }: AskAbout & { readonly isVersion: boolean }): JSX.Element {
  const [reason, setReason] = useState('')
  const reject = async (): Promise<void> => {
    const line = reason.replace(/\s+/g, ' ').trim()
    await post(`${path}/reject`, line === '' ? {} : { reason: line })
    notice('Rejected. The message is not sent.')
  }
  return (
    <Ask title="Reject this message?" yes="Reject" tone="bad" onYes={reject} onClose={onClose}>
      <p>
        {isVersion
          ? 'This version is not sent. The message of the agent is unchanged.'
          : 'It is not sent. The agent is told so, with your reason.'}
      </p>
      <label for="reason">Reason (may stay empty)</label>
      <input
        id="reason"
        type="text"
        maxLength={500}
        value={reason}
        data-first
        onInput={(event) => setReason(event.currentTarget.value)}
      />
    </Ask>
  )
}

const VERSIONS: Readonly<Record<Version['how'], readonly [title: string, words: string]>> = {
  plain_text: ['Send as plain text?', 'This makes a version without the HTML.'],
  without_hidden: [
    'Remove hidden content?',
    'This makes a version without hidden text, pictures, styles, scripts and comments. Links stay.',
  ],
}

function AskVersion({ path, how, onClose }: AskAbout & { readonly how: Version['how'] }): JSX.Element {
  const [title, words] = VERSIONS[how]
  const make = async (): Promise<void> => {
    const { id } = await post<Letter>(`${path}/revise`, { how })
    go('outbox', id)
    notice('This is the new version. It is sent once you approve it.')
  }
  return (
    <Ask title={title} yes="Make this version" tone="good" onYes={make} onClose={onClose}>
      <p>{words} You see it before you approve it. Approving it sends it and rejects this message.</p>
    </Ask>
  )
}

function AskLook({ path, account, onClose }: AskAbout & { readonly account: string }): JSX.Element {
  const look = async (): Promise<void> => {
    const { found } = await post<Looked>(`${path}/look`, {})
    notice(
      found ? 'Found among what was sent: it was sent.' : 'Not found there. That alone does not mean it was not sent.',
    )
  }
  return (
    <Ask title="Look for it?" yes="Look" tone="good" onYes={look} onClose={onClose}>
      <p>Postern looks for the letter among what {account} has sent. If it lies there, the letter counts as sent.</p>
    </Ask>
  )
}

function AskSettle({ path, wasSent, onClose }: AskAbout & { readonly wasSent: boolean }): JSX.Element {
  const settle = async (): Promise<void> => {
    await post(`${path}/settle`, { wasSent })
    notice(wasSent ? 'Noted: it was sent.' : 'Noted: it was not sent.')
  }
  return (
    <Ask
      title={wasSent ? 'Are you sure that it was sent?' : 'Are you sure that it was not sent?'}
      yes={wasSent ? 'It was sent' : 'It was not sent'}
      tone={wasSent ? 'good' : 'bad'}
      careful
      onYes={settle}
      onClose={onClose}
    >
      <p>
        {wasSent
          ? 'The agent is told that it was sent, and will not send it again.'
          : 'The agent may then ask to send it again. If it did arrive, whoever gets it will have it twice.'}
      </p>
    </Ask>
  )
}
