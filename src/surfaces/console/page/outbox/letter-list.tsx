/** Letters, one under another. Arrow keys go from one to the next. */
import type { JSX } from 'preact'
import type { Letter } from '../api-types.ts'
import { Badge } from '../parts/badge.tsx'
import { Mail } from '../parts/mail.tsx'
import { Moment } from '../parts/moment.tsx'
import { addressOf } from '../route.ts'
import { isLookAlike, recipientCount, STATES } from './words.ts'

interface LetterListProps {
  readonly letters: readonly Letter[]
  readonly open: string | undefined
}

export function LetterList({ letters, open }: LetterListProps): JSX.Element {
  return (
    <ul class="letters" onKeyDown={stepWithArrows}>
      {letters.map((letter) => (
        <li key={letter.id}>
          <a
            href={addressOf('outbox', letter.id)}
            data-letter={letter.id}
            aria-current={letter.id === open ? 'true' : undefined}
          >
            <Line letter={letter} />
          </a>
        </li>
      ))}
    </ul>
  )
}

function Line({ letter }: { readonly letter: Letter }): JSX.Element {
  const [words, tone] = STATES[letter.state]
  const [first] = [...letter.to, ...letter.cc, ...letter.bcc]
  const others = recipientCount(letter) - 1
  return (
    <>
      <span class="letter-top">
        <span class="letter-to">
          <Mail text={first?.address ?? 'nobody'} />
          {others > 0 && ` and ${others} more`}
        </span>
        <Moment at={letter.created} />
      </span>
      <span class="letter-subject">{letter.subject === '' ? '(no subject)' : <Mail text={letter.subject} />}</span>
      <span class="letter-marks">
        <Badge tone={tone}>{words}</Badge>
        {isLookAlike(letter) && <Badge tone="bad">look-alike</Badge>}
        {letter.marks.some(({ mark }) => mark === 'repeated') && <Badge tone="warn">sent before</Badge>}
        {letter.marks.some(({ mark }) => mark === 'new') && <Badge tone="warn">new</Badge>}
        <span class="soft letter-by">
          by <Mail text={letter.caller} />
        </span>
      </span>
    </>
  )
}

function stepWithArrows(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const here = event.target instanceof Element ? event.target.closest('li') : null
  const next = event.key === 'ArrowDown' ? here?.nextElementSibling : here?.previousElementSibling
  const line = next?.querySelector<HTMLElement>('a')
  if (line === null || line === undefined) return
  event.preventDefault()
  line.focus()
}
