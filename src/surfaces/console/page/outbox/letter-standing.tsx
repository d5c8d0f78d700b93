/** How the letter stands, and what comes next. */
import type { JSX } from 'preact'
import type { Letter } from '../api-types.ts'
import { Callout, sentence } from '../parts/callout.tsx'
import { Mail } from '../parts/mail.tsx'
import { Moment } from '../parts/moment.tsx'
import { addressOf } from '../route.ts'
import { approvedBy } from './words.ts'

const VERSIONS = { plain_text: 'as plain text', without_hidden: 'without hidden content' } as const

export function LetterStanding({ letter }: { readonly letter: Letter }): JSX.Element | null {
  switch (letter.state) {
    case 'waiting':
      return (
        <p class="soft standing">
          {letter.version === undefined ? (
            <Mail text={letter.caller} />
          ) : (
            <>
              A version {VERSIONS[letter.version.how]} of{' '}
              <a href={addressOf('outbox', letter.version.of)}>{letter.version.of}</a>.{' '}
              <Mail text={letter.version.by} />
            </>
          )}{' '}
          asked for this <Moment at={letter.created} />. Without an answer it expires <Moment at={letter.expires} />.
        </p>
      )
    case 'needs_operator':
      return (
        <Callout tone="bad" title="Nobody knows whether it was sent.">
          <p>
            The line broke before the server answered. Postern does not try again by itself. Look among what was sent,
            or say what you know.
          </p>
        </Callout>
      )
    case 'approved':
      return (
        <Callout tone="good" title={`Approved ${by(letter)}.`}>
          <p>
            {letter.version === undefined
              ? 'It is sent when the agent asks again.'
              : 'A running Postern server sends it within a minute.'}
          </p>
          {letter.reason !== undefined && <Because words="It was not sent when last tried: " reason={letter.reason} />}
        </Callout>
      )
    case 'claimed':
      return <Callout tone="calm" title={`Approved ${by(letter)}; it is being sent at this moment.`} />
    case 'sent':
      return (
        <Callout tone="good" title="Sent.">
          <p>
            Approved {by(letter)}. <Ended letter={letter} />
          </p>
        </Callout>
      )
    case 'failed':
      return (
        <Callout tone="bad" title="It was not sent, and will not be.">
          {letter.reason !== undefined && <Because words="" reason={letter.reason} />}
        </Callout>
      )
    case 'rejected':
      return (
        <Callout tone="calm" title={`Rejected${letter.rejectedBy === undefined ? '' : ` by ${letter.rejectedBy}`}.`}>
          {letter.reason !== undefined && <Because words="Reason: " reason={letter.reason} />}
          <Ended letter={letter} />
        </Callout>
      )
    case 'expired':
      return <Callout tone="calm" title="Its time ran out. The agent has to ask for it anew." />
  }
}

function by({ approval }: Letter): string {
  return approval === undefined ? 'earlier' : approvedBy(approval)
}

function Because({ words, reason }: { readonly words: string; readonly reason: string }): JSX.Element {
  return (
    <p>
      {words}
      <Mail text={sentence(reason)} />
    </p>
  )
}

function Ended({ letter: { endedAt } }: { readonly letter: Letter }): JSX.Element | null {
  return endedAt === undefined ? null : (
    <span class="soft">
      <Moment at={endedAt} />
    </span>
  )
}
