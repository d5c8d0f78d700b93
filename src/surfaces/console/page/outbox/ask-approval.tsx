/** The last look before a letter may leave: who gets it, and what is odd about them. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { LetterDetail } from '../api-types.ts'
import { post } from '../client.ts'
import { Ask } from '../parts/ask.tsx'
import { notice } from '../parts/notices.tsx'
import { plural } from '../times.ts'
import { Recipient } from './recipient.tsx'
import { isLookAlike, recipientCount } from './words.ts'

interface AskApprovalProps {
  readonly letter: LetterDetail
  readonly path: string
  readonly onClose: () => void
}

export function AskApproval({ letter, path, onClose }: AskApprovalProps): JSX.Element {
  const alike = isLookAlike(letter)
  const [compared, setCompared] = useState(false)
  const approve = async (): Promise<void> => {
    await post(`${path}/approve`, { digest: letter.digest })
    notice('Approved. It is sent when the agent asks again.')
  }
  return (
    <Ask
      title={`Approve this letter to ${plural(recipientCount(letter), 'person', 'people')}?`}
      yes="Approve"
      tone="good"
      ready={!alike || compared}
      careful={alike}
      onYes={approve}
      onClose={onClose}
    >
      <ul class="people">
        {[...letter.to, ...letter.cc, ...letter.bcc].map((person, at) => (
          <li key={at}>
            <Recipient person={person} marks={letter.marks} />
          </li>
        ))}
      </ul>
      {alike && (
        <label class="check">
          <input type="checkbox" checked={compared} onChange={(event) => setCompared(event.currentTarget.checked)} />I
          have compared the addresses, letter by letter
        </label>
      )}
      <p class="soft">It leaves exactly as shown, once, when the agent asks again within a day.</p>
    </Ask>
  )
}
