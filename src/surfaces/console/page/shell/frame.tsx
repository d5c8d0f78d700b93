/** What stands around every page: where one can go, who one is, whether the page is up to date. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { AccessPage } from '../access/access-page.tsx'
import { AccountsPage } from '../accounts/accounts-page.tsx'
import { ActivityPage } from '../activity/activity-page.tsx'
import type { Outbox, Session, Transfers } from '../api-types.ts'
import { ApiFailure, signOut } from '../client.ts'
import { useKeys } from '../keys.ts'
import { openLine } from '../live.ts'
import { OutboxPage } from '../outbox/outbox-page.tsx'
import { Notices, notice } from '../parts/notices.tsx'
import { useResource } from '../resource.ts'
import { go, PAGES, type Route, useRoute } from '../route.ts'
import { plural } from '../times.ts'
import { TransfersPage } from '../transfers/transfers-page.tsx'
import { Help } from './help.tsx'
import { Line } from './line.tsx'
import { Navigation, TITLES } from './navigation.tsx'

interface FrameProps {
  readonly session: Session
  readonly onLeave: () => void
}

export function Frame({ session, onLeave }: FrameProps): JSX.Element {
  const route = useRoute()
  const [help, showHelp] = useState(false)
  const waiting = useWaiting()
  const stuck = useResource<Transfers>('/transfers', ['transfers']).data?.transfers.filter(isStuck).length ?? 0
  useEffect(openLine, [])
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${TITLES[route.page]} · Postern`
  }, [waiting, route.page])
  useKeys({
    '?': () => showHelp(true),
    ...Object.fromEntries(PAGES.map((page, at) => [String(at + 1), () => go(page)])),
  })
  const leave = (): void => {
    signOut().then(onLeave, (error) => {
      if (error instanceof ApiFailure && error.status !== 401) notice(error.message)
    })
  }
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={toMain}>
        Skip to the page
      </button>
      <header class="side">
        <p class="brand">Postern</p>
        <Navigation page={route.page} counts={{ outbox: waiting, transfers: stuck }} />
        <div class="who">
          <Line />
          <p class="soft">
            <bdi>{session.user}</bdi> on <bdi>{session.host}</bdi>
          </p>
          <p class="soft">
            Version {session.version}
            {session.devMode && ', development mode'}
          </p>
          <div class="who-actions">
            <button type="button" class="quiet" onClick={() => showHelp(true)}>
              Keys
            </button>
            <button type="button" class="quiet" onClick={leave}>
              Sign out
            </button>
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Page route={route} />
      </main>
      <Notices />
      {help && <Help onClose={() => showHelp(false)} />}
    </div>
  )
}

function Page({ route }: { readonly route: Route }): JSX.Element {
  switch (route.page) {
    case 'outbox':
      return <OutboxPage id={route.id} />
    case 'activity':
      return <ActivityPage />
    case 'access':
      return <AccessPage caller={route.id} />
    case 'accounts':
      return <AccountsPage />
    case 'transfers':
      return <TransfersPage />
  }
}

/** How many letters want a person; news of another is told. */
function useWaiting(): number {
  const { data } = useResource<Outbox>('/outbox', ['outbox'])
  const waiting = data?.letters.filter(({ state }) => state === 'waiting' || state === 'needs_operator').length
  const [last, remember] = useState<number>()
  useEffect(() => {
    if (waiting === undefined) return
    if (last !== undefined && waiting > last)
      notice(`${plural(waiting, 'letter')} now ${waiting === 1 ? 'waits' : 'wait'} for you`)
    remember(waiting)
  }, [waiting])
  return waiting ?? 0
}

function isStuck({ status }: { readonly status: string }): boolean {
  return status === 'needs_operator'
}

function toMain(): void {
  document.getElementById('main')?.focus()
}
