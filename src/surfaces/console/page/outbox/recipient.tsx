/** Somebody who gets a letter, with what is odd about the address. */
import type { JSX } from 'preact'
import type { Person, RecipientMark } from '../api-types.ts'
import { Badge } from '../parts/badge.tsx'
import { Mail, MailPerson } from '../parts/mail.tsx'

interface RecipientProps {
  readonly person: Person
  readonly marks: readonly RecipientMark[]
}

export function Recipient({ person, marks }: RecipientProps): JSX.Element {
  const own = marks.filter(({ address }) => address.toLowerCase() === person.address.toLowerCase())
  return (
    <span class="recipient">
      <MailPerson person={person} />
      {own.map((mark) => (
        <Mark key={mark.mark + (mark.like ?? '')} mark={mark} />
      ))}
    </span>
  )
}

function Mark({ mark: { mark, like } }: { readonly mark: RecipientMark }): JSX.Element {
  if (mark === 'repeated') return <Badge tone="warn">the very same message was sent there within a day</Badge>
  if (mark === 'new') return <Badge tone="warn">First message to this address</Badge>
  return (
    <Badge tone="bad">
      looks like {like === undefined ? 'another address' : <Mail text={like} />}
      {like !== undefined && ', but is not'}
    </Badge>
  )
}
