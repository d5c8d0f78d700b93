/** Who gets the message, from whom, with what attached; and what to know of the agent that wrote it. */
import type { ComponentChildren, JSX } from 'preact'
import type { LetterDetail, Person } from '../api-types.ts'
import { Callout } from '../parts/callout.tsx'
import { Mail, MailPerson } from '../parts/mail.tsx'
import { count, size } from '../times.ts'
import { Recipient } from './recipient.tsx'

const MOST_READERS = 8

export function LetterFacts({ letter }: { readonly letter: LetterDetail }): JSX.Element {
  const people = (name: string, list: readonly Person[]): JSX.Element | null =>
    list.length === 0 ? null : (
      <Fact name={name}>
        {list.map((person, at) => (
          <Recipient key={at} person={person} marks={letter.marks} />
        ))}
      </Fact>
    )
  return (
    <>
      <dl class="facts">
        {people('To', letter.to)}
        {people('Cc', letter.cc)}
        {people('Bcc', letter.bcc)}
        <Fact name="From">
          <MailPerson person={letter.from} />
        </Fact>
        <Fact name="Agent">
          <span>
            <Mail text={letter.caller} /> with account <Mail text={letter.account} />
          </span>
        </Fact>
        {letter.attachments.length > 0 && (
          <Fact name="Attached">
            {letter.attachments.map(({ filename, type, size: bytes, digest }, at) => (
              <span key={at}>
                <Mail text={filename} />{' '}
                <span class="soft">
                  {size(bytes)}, <Mail text={type} />, SHA-256 <code class="file-digest">{digest}</code>
                </span>
              </span>
            ))}
          </Fact>
        )}
      </dl>
      <Readers letter={letter} />
    </>
  )
}

/** What an agent has read may have told it what to write. */
function Readers({ letter: { caller, readers, unknownReaders } }: { readonly letter: LetterDetail }): JSX.Element {
  if (readers.length === 0) {
    return (
      <p class="soft standing">
        <Mail text={caller} />{' '}
        {unknownReaders
          ? 'has read mail within a day; whose is not known any more.'
          : 'has read nobody’s mail within a day.'}
      </p>
    )
  }
  const more = readers.slice(MOST_READERS)
  return (
    <Callout tone="calm" title={`Within a day ${caller} has read mail from or to`}>
      <People list={readers.slice(0, MOST_READERS)} />
      {more.length > 0 && (
        <details>
          <summary>and {count(more.length)} more</summary>
          <People list={more} />
        </details>
      )}
      {unknownReaders && <p class="soft">and that of others, who are not known any more</p>}
    </Callout>
  )
}

function People({ list }: { readonly list: readonly string[] }): JSX.Element {
  return (
    <ul class="chips">
      {list.map((address) => (
        <li key={address}>
          <Mail text={address} />
        </li>
      ))}
    </ul>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
