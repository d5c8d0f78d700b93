/** The open letter: what it says, what to know about it, and what can be done. */
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { LetterDetail } from '../api-types.ts'
import { useKeys } from '../keys.ts'
import { Badge } from '../parts/badge.tsx'
import { Trouble } from '../parts/callout.tsx'
import { Key } from '../parts/key.tsx'
import { Mail } from '../parts/mail.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useResource } from '../resource.ts'
import { addressOf } from '../route.ts'
import { type Decision, Decisions, decisionsFor } from './decisions.tsx'
import { LetterFacts } from './letter-facts.tsx'
import { LetterStanding } from './letter-standing.tsx'
import { LetterText } from './letter-text.tsx'
import { UnseenList } from './unseen-list.tsx'
import { STATES } from './words.ts'

export function LetterPane({ id }: { readonly id: string }): JSX.Element {
  const { data, error, reload } = useResource<LetterDetail>(`/outbox/${encodeURIComponent(id)}`, ['outbox'])
  return (
    <section class="letter-side" aria-label="Letter">
      <p class="back">
        <a href={addressOf('outbox')}>
          ← All letters <Key name="Esc" />
        </a>
      </p>
      {error !== undefined && <Trouble error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Skeleton rows={1} kind="letter" />}
      {data !== undefined && <OpenLetter letter={data} />}
    </section>
  )
}

function OpenLetter({ letter }: { readonly letter: LetterDetail }): JSX.Element {
  const title = useRef<HTMLHeadingElement>(null)
  const [asking, ask] = useState<Decision>()
  // With the letter, not after it: later the focus would be taken from where somebody has put it meanwhile.
  useLayoutEffect(() => {
    title.current?.focus({ preventScroll: true })
    title.current?.closest('.letter-side')?.scrollTo?.(0, 0)
  }, [])
  const possible = decisionsFor(letter)
  useKeys(Object.fromEntries(possible.map(({ key, kind }) => [key, () => ask(kind)])))
  const [words, tone] = STATES[letter.state]
  return (
    <article class="letter">
      <header>
        <h2 ref={title} tabIndex={-1}>
          {letter.subject === '' ? '(no subject)' : <Mail text={letter.subject} />}
        </h2>
        <Badge tone={tone}>{words}</Badge>
      </header>
      <LetterStanding letter={letter} />
      <UnseenList letter={letter} />
      <LetterFacts letter={letter} />
      <LetterText letter={letter} />
      {possible.length > 0 && (
        <div class="deciding actions">
          {possible.map(({ kind, words: name, key, tone: look }) => (
            <button key={kind} type="button" class={look} onClick={() => ask(kind)}>
              {name} <Key name={key} />
            </button>
          ))}
        </div>
      )}
      {asking !== undefined && <Decisions letter={letter} decision={asking} onClose={() => ask(undefined)} />}
    </article>
  )
}
