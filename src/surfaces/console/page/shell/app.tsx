/** The page as a whole: signed in or not. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Session } from '../api-types.ts'
import { ApiFailure, openSession, whenSignedOut } from '../client.ts'
import { forgetAnswers } from '../resource.ts'
import { Frame } from './frame.tsx'
import { SignIn, takeToken } from './sign-in.tsx'

type Stage =
  | { readonly kind: 'looking' }
  | { readonly kind: 'outside'; readonly wasInside: boolean; readonly hint?: string; readonly trouble?: ApiFailure }
  | { readonly kind: 'inside'; readonly session: Session }

export function App(): JSX.Element {
  const [stage, show] = useState<Stage>({ kind: 'looking' })
  const leave = (): void => {
    forgetAnswers()
    show({ kind: 'outside', wasInside: true })
  }
  useEffect(() => {
    openSession().then(
      (session) => {
        // Whoever is in already does not need the link that was opened.
        takeToken()
        show({ kind: 'inside', session })
      },
      (error) => show(outside(error)),
    )
    return whenSignedOut(leave)
  }, [])
  switch (stage.kind) {
    case 'looking':
      return <div class="looking" aria-busy="true" />
    case 'outside':
      return (
        <SignIn
          wasInside={stage.wasInside}
          hint={stage.hint}
          trouble={stage.trouble}
          onSession={(session) => show({ kind: 'inside', session })}
        />
      )
    case 'inside':
      return <Frame session={stage.session} onLeave={leave} />
  }
}

function outside(error: unknown): Stage {
  const stage = { kind: 'outside', wasInside: false } as const
  if (!(error instanceof ApiFailure)) return stage
  return error.status === 401 ? { ...stage, hint: error.message } : { ...stage, trouble: error }
}
