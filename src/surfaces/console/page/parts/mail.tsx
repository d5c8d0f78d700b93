/**
 * Text that somebody else wrote.
 *
 * INVARIANT: it is a text node and nothing else, isolated from the direction of ours, and nothing in it stays unseen, even where the
 * server did not write it out.
 */
import type { JSX } from 'preact'
import type { Person } from '../api-types.ts'

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{DI}\u2800]/gu

/** On one line. */
export function Mail({ text }: { readonly text: string }): JSX.Element {
  return <bdi class="mail">{writtenOut(text)}</bdi>
}

/** On as many as it has. */
export function MailBlock({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="mail-block" dir="auto">
      {writtenOut(text)}
    </div>
  )
}

/** The address first: a name may say anything. */
export function MailPerson({ person: { name, address } }: { readonly person: Person }): JSX.Element {
  return (
    <span class="person">
      <strong>
        <Mail text={address} />
      </strong>
      {name !== '' && (
        <span class="soft">
          {' '}
          shown as “<Mail text={name} />”
        </span>
      )}
    </span>
  )
}

export function writtenOut(text: string): string {
  return text.replace(UNSEEN, (found) => {
    if (found === '\n' || found === '\t') return found
    return `[U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`
  })
}
