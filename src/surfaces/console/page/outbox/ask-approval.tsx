/** The last look before a message may leave: who gets it, what is odd about them, and what they will not see. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Letter, LetterDetail } from '../api-types.ts'
import { post } from '../client.ts'
import { Ask } from '../parts/ask.tsx'
import { notice } from '../parts/notices.tsx'
import { plural } from '../times.ts'
import { Recipient } from './recipient.tsx'
import { isLookAlike, recipientCount, unseenSummary, whenSent } from './words.ts'

interface AskApprovalProps {
  readonly letter: LetterDetail
  readonly path: string
  readonly onClose: () => void
}

export function AskApproval({ letter, path, onClose }: AskApprovalProps): JSX.Element {
  const alike = isLookAlike(letter)
  const hides = letter.unseen.length > 0
  const [compared, setCompared] = useState(false)
  const [acknowledged, setAcknowledged] = useState(false)
  const recipients = Object.entries({ To: letter.to, Cc: letter.cc, Bcc: letter.bcc }).flatMap(([field, people]) =>
    people.map((person) => ({ field, person })),
  )
  const approve = async (): Promise<void> => {
    const { state } = await post<Letter>(`${path}/approve`, { digest: letter.digest, ...(hides && { acknowledged }) })
    notice(state === 'sent' ? 'Approved and sent.' : `Approved. ${whenSent(letter)}`)
  }
  return (
    <Ask
      title={`Approve this message to ${plural(recipientCount(letter), 'person', 'people')}?`}
      yes="Approve"
      tone="good"
      ready={(!alike || compared) && (!hides || acknowledged)}
      careful={alike || hides}
      onYes={approve}
      onClose={onClose}
    >
      <ul class="people">
        {recipients.map(({ field, person }, at) => (
          <li key={at}>
            <span class="soft">{field}</span>
            <Recipient person={person} marks={letter.marks} />
          </li>
        ))}
      </ul>
      {hides && (
        <label class="check">
          <input
            type="checkbox"
            checked={acknowledged}
            onChange={(event) => setAcknowledged(event.currentTarget.checked)}
          />
          Send what recipients will not see as well: {unseenSummary(letter)}
        </label>
      )}
      {alike && (
        <label class="check">
          <input type="checkbox" checked={compared} onChange={(event) => setCompared(event.currentTarget.checked)} />I
          have compared the addresses, character by character
        </label>
      )}
      <p class="soft">All of it is sent, once. {whenSent(letter)}</p>
    </Ask>
  )
}
