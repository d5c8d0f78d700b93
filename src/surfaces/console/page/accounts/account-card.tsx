/** One account. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { AccountState, MirrorState, SyncState } from '../api-types.ts'
import { ApiFailure, post, typed } from '../client.ts'
import { Badge, type Tone } from '../parts/badge.tsx'
import { Trouble } from '../parts/callout.tsx'
import { Mail } from '../parts/mail.tsx'
import { notice } from '../parts/notices.tsx'
import { count, plural } from '../times.ts'

const STATES: Readonly<Record<AccountState['state'], readonly [string, Tone]>> = {
  connected: ['connected', 'good'],
  not_connected: ['not connected', 'calm'],
  no_server: ['on this machine', 'calm'],
  needs_consent: ['needs your consent', 'bad'],
}

export function AccountCard({ account }: { readonly account: AccountState }): JSX.Element {
  const { id, address, provider, state, host, connections, mirror, canSend, sendingProblem } = account
  const [words, tone] = STATES[state]
  return (
    <li class="card account">
      <header>
        <h2>
          <Mail text={id} />
        </h2>
        <Badge tone={tone}>{words}</Badge>
      </header>
      <p class="soft">
        {address !== undefined && address !== id && (
          <>
            <Mail text={address} />,{' '}
          </>
        )}
        {state === 'no_server' ? 'a local mailbox' : provider}
        {state !== 'no_server' && host !== '' && (
          <>
            {' '}
            at <Mail text={host} />
          </>
        )}
        , {canSend ? 'can send' : 'cannot send'}
      </p>
      {state === 'no_server' ? (
        <p class="soft">Its mail lies on this machine; there is no server to reach.</p>
      ) : (
        <>
          <p class="soft">{connections === undefined ? 'No connection is open.' : connectionWords(connections)}</p>
          <Mirror mirror={mirror} />
        </>
      )}
      {sendingProblem !== undefined && (
        <p class="problem">
          Sending does not work: <Mail text={sendingProblem} />
        </p>
      )}
      {state === 'needs_consent' && (
        <p>
          Give it in a terminal: <code>{typed(`oauth --account ${id}`)}</code>
        </p>
      )}
      {state !== 'no_server' && <Reconnect id={id} />}
    </li>
  )
}

function connectionWords({ open, busy, watching }: NonNullable<AccountState['connections']>): string {
  return `${plural(open, 'connection')} open, ${count(busy)} at work, ${count(watching)} watching for new mail.`
}

function Mirror({ mirror }: { readonly mirror: MirrorState | undefined }): JSX.Element {
  if (mirror === undefined)
    return <p class="soft">No copy is kept on this machine: every answer comes from the server.</p>
  const { depth, folders, messages, indexed, problem, sync } = mirror
  return (
    <div class="mirror">
      <p>
        {plural(messages, 'message')} in {plural(folders, 'folder')} kept here{depth === 'headers' && ', headers only'};{' '}
        {count(indexed)} searchable by their words.
      </p>
      {problem !== undefined && (
        <p class="problem">
          <Mail text={problem} />
        </p>
      )}
      <div class="sync">{sync === undefined ? <p class="soft">Up to date.</p> : <Sync sync={sync} />}</div>
    </div>
  )
}

function Sync({ sync: { mailbox, done, total, rate } }: { readonly sync: SyncState }): JSX.Element {
  const left = rate > 0 ? Math.ceil((total - done) / rate) : undefined
  return (
    <>
      <progress max={Math.max(total, 1)} value={done} aria-label={`Copying ${mailbox}`} />
      <p class="soft">
        <Mail text={mailbox} />: {count(done)} of {count(total)}, {count(Math.round(rate))} a second
        {left !== undefined && left > 0 && `, about ${duration(left)} left`}
      </p>
    </>
  )
}

function duration(seconds: number): string {
  if (seconds < 90) return plural(seconds, 'second')
  return seconds < 5400 ? plural(Math.round(seconds / 60), 'minute') : plural(Math.round(seconds / 3600), 'hour')
}

function Reconnect({ id }: { readonly id: string }): JSX.Element {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiFailure>()
  const reconnect = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await post(`/accounts/${encodeURIComponent(id)}/reconnect`, {})
      notice(`${id} is connected.`)
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <div class="actions">
        <button type="button" disabled={busy} onClick={() => void reconnect()}>
          {busy ? 'Connecting…' : 'Reconnect'}
          <span class="unseen"> {id}</span>
        </button>
      </div>
      {error !== undefined && <Trouble error={error} />}
    </>
  )
}
