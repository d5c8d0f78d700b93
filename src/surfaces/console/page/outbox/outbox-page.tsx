/** What wants to leave: a list, and beside it the letter that is open. */
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Letter, Outbox } from '../api-types.ts'
import { useKeys } from '../keys.ts'
import { Empty, Trouble } from '../parts/callout.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useResource } from '../resource.ts'
import { go, goInstead } from '../route.ts'
import { LetterList } from './letter-list.tsx'
import { LetterPane } from './letter-pane.tsx'

export function OutboxPage({ id }: { readonly id: string | undefined }): JSX.Element {
  const [all, showAll] = useState(false)
  const { data, error, reload } = useResource<Outbox>(all ? '/outbox?all=1' : '/outbox', ['outbox'])
  const list = useRef<HTMLDivElement>(null)
  useStepping(data?.letters ?? [], id, list)
  return (
    <div class={id === undefined ? 'outbox' : 'outbox open'}>
      <section class="list-side" aria-labelledby="outbox-title">
        <header class="page-head">
          <h1 id="outbox-title">Outbox</h1>
          <label class="check">
            <input type="checkbox" checked={all} onChange={(event) => showAll(event.currentTarget.checked)} />
            Show those that are over
          </label>
        </header>
        {error !== undefined && <Trouble error={error} onRetry={reload} />}
        <div ref={list}>
          {data === undefined && error === undefined && <Skeleton rows={4} kind="row" />}
          {data !== undefined && <Letters letters={data.letters} open={id} all={all} />}
        </div>
      </section>
      {id === undefined ? <Hint shown={(data?.letters.length ?? 0) > 0} /> : <LetterPane key={id} id={id} />}
    </div>
  )
}

interface LettersProps {
  readonly letters: readonly Letter[]
  readonly open: string | undefined
  readonly all: boolean
}

function Letters({ letters, open, all }: LettersProps): JSX.Element {
  if (letters.length > 0) return <LetterList letters={letters} open={open} />
  return (
    <Empty title="Nothing waits.">
      <p>When an agent wants to send a letter, it appears here.</p>
      {!all && <p class="soft">Letters that are over are not shown.</p>}
    </Empty>
  )
}

function Hint({ shown }: { readonly shown: boolean }): JSX.Element {
  return (
    <div class="letter-side hint" aria-hidden="true">
      {shown && (
        <p>
          Choose a letter: <kbd>j</kbd> and <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>?</kbd> shows all keys.
        </p>
      )}
    </div>
  )
}

/** j and k: with a letter open to the next one, else from line to line. Escape: back to the list. */
function useStepping(
  letters: readonly Letter[],
  id: string | undefined,
  list: { readonly current: HTMLDivElement | null },
): void {
  const left = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    if (id === undefined) lineOf(list.current, left.current)?.focus()
    left.current = id
  }, [id])
  const step = (by: 1 | -1): void => {
    const lines = [...(list.current?.querySelectorAll<HTMLElement>('a[data-letter]') ?? [])]
    const focused = lines.findIndex((line) => line.matches(':focus'))
    const opened = letters.findIndex((letter) => letter.id === id)
    const at = id === undefined ? focused : opened
    const next = Math.min(Math.max(at === -1 && by === -1 ? 0 : at + by, 0), lines.length - 1)
    const letter = lines[next]?.dataset['letter']
    if (letter === undefined) return
    if (id === undefined) lines[next]?.focus()
    else if (letter !== id) goInstead('outbox', letter)
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ...(id !== undefined && { Escape: () => go('outbox') }),
  })
}

function lineOf(list: HTMLElement | null, id: string | undefined): HTMLElement | undefined {
  const lines = list?.querySelectorAll<HTMLElement>('a[data-letter]') ?? []
  return [...lines].find((line) => line.dataset['letter'] === id)
}
