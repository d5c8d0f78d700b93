/**
 * The way in: a link that opens once.
 *
 * INVARIANT: the link's token is sent once, by a page that somebody looks at, and does not stay in the address.
 */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Session } from '../api-types.ts'
import { ApiFailure, signIn, typed } from '../client.ts'
import { sentence } from '../parts/callout.tsx'
import { Words } from '../parts/words.tsx'

interface SignInProps {
  readonly wasInside: boolean
  /** What the server says to whoever is not signed in: how to get a link. */
  readonly hint: string | undefined
  readonly trouble: ApiFailure | undefined
  readonly onSession: (session: Session) => void
}

export function SignIn({ wasInside, hint, trouble, onSession }: SignInProps): JSX.Element {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState(trouble)
  const enter = async (token: string): Promise<void> => {
    if (token === '') return
    setBusy(true)
    setError(undefined)
    try {
      const session = await signIn(token)
      if (location.hash === '') location.replace('#/outbox')
      onSession(session)
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure
      setError(failure)
      setBusy(false)
    }
  }
  useEffect(() => {
    document.title = 'Sign in · Postern'
    whenLookedAt(() => void enter(takeToken()))
  }, [])
  return (
    <main class="sign-in">
      <h1>Postern</h1>
      <p>{wasInside ? 'You are signed out.' : 'This console opens with a link that works once.'}</p>
      <p>
        <Words
          text={sentence(hint ?? `"${typed('console --link')}", on the machine that runs Postern, prints a new link`)}
        />
      </p>
      <LinkForm busy={busy} onLink={(link) => void enter(tokenIn(link))} />
      <div class="sign-in-error" role="alert">
        {error !== undefined && (
          <p>
            <Words text={sentence(error.message)} />
          </p>
        )}
      </div>
    </main>
  )
}

function LinkForm({ busy, onLink }: { readonly busy: boolean; readonly onLink: (link: string) => void }): JSX.Element {
  const [text, setText] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onLink(text)
      }}
    >
      <label for="link">Sign-in link</label>
      <input
        id="link"
        type="text"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="actions">
        <button type="submit" class="primary" disabled={busy || text.trim() === ''}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
      </div>
    </form>
  )
}

/** Out of the address, so that neither a bookmark nor somebody looking on has it. */
export function takeToken(): string {
  const address = new URL(location.href)
  const token = address.searchParams.get('token') ?? ''
  if (address.search !== '') history.replaceState(null, '', `/console/${address.hash}`)
  return token
}

/** A whole link, or only its end. */
function tokenIn(text: string): string {
  const trimmed = text.trim()
  return URL.parse(trimmed)?.searchParams.get('token') ?? trimmed
}

/** Browsers open pages ahead of time; the link would be used up by nobody. */
function whenLookedAt(act: () => void): void {
  if (document.visibilityState === 'visible') act()
  else document.addEventListener('visibilitychange', act, { once: true })
}
