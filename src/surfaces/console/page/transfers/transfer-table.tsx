/** Transfers, and what can be done about those that are stuck. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { TransferState } from '../api-types.ts'
import { post } from '../client.ts'
import { Ask } from '../parts/ask.tsx'
import { Badge, type Tone } from '../parts/badge.tsx'
import { Mail } from '../parts/mail.tsx'
import { Moment } from '../parts/moment.tsx'
import { notice } from '../parts/notices.tsx'
import { plural } from '../times.ts'

const STATES: Readonly<Record<TransferState['status'], readonly [string, Tone]>> = {
  pending: ['begun', 'calm'],
  staged: ['under way', 'calm'],
  committed: ['arrived', 'good'],
  aborted: ['given up', 'calm'],
  needs_operator: ['needs you', 'bad'],
}

type Asked = { readonly what: 'retry' | 'abandon'; readonly transfer: TransferState }

export function TransferTable({ transfers }: { readonly transfers: readonly TransferState[] }): JSX.Element {
  const [asked, ask] = useState<Asked>()
  return (
    <>
      <table class="cards">
        <caption class="unseen">Transfers, the newest first</caption>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">By</th>
            <th scope="col">Tries</th>
            <th scope="col">
              <span class="unseen">What to do</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {transfers.map((transfer) => (
            <Row key={transfer.id} transfer={transfer} onAsk={(what) => ask({ what, transfer })} />
          ))}
        </tbody>
      </table>
      {asked?.what === 'retry' && <AskRetry transfer={asked.transfer} onClose={() => ask(undefined)} />}
      {asked?.what === 'abandon' && <AskAbandon transfer={asked.transfer} onClose={() => ask(undefined)} />}
    </>
  )
}

interface RowProps {
  readonly transfer: TransferState
  readonly onAsk: (what: Asked['what']) => void
}

function Row({ transfer, onAsk }: RowProps): JSX.Element {
  const { status, operation, source, destination, caller, created, retries, error, responseCode } = transfer
  const [words, tone] = STATES[status]
  return (
    <tr>
      <td data-name="State">
        <Badge tone={tone}>{words}</Badge>
        <span class="soft beneath">{operation}</span>
      </td>
      <td data-name="From">
        <Mail text={source.mailbox} />
        <span class="soft beneath">
          <Mail text={source.account} />, message {source.uid}
        </span>
      </td>
      <td data-name="To">
        <Mail text={destination.mailbox} />
        <span class="soft beneath">
          <Mail text={destination.account} />
        </span>
      </td>
      <td data-name="By">
        <Mail text={caller} />
        <span class="soft beneath">
          <Moment at={created} />
        </span>
      </td>
      <td data-name="Tries">
        {retries === 0 ? 'none failed' : `${plural(retries, 'try', 'tries')} failed`}
        {error !== undefined && (
          <span class="soft beneath">
            <Mail text={error.replaceAll('_', ' ')} />
            {responseCode !== undefined && ` (${responseCode})`}
          </span>
        )}
      </td>
      <td class="row-actions">
        {status === 'needs_operator' && (
          <>
            <button type="button" onClick={() => onAsk('retry')}>
              Retry
            </button>
            <button type="button" class="bad" onClick={() => onAsk('abandon')}>
              Abandon
            </button>
          </>
        )}
      </td>
    </tr>
  )
}

interface AskProps {
  readonly transfer: TransferState
  readonly onClose: () => void
}

const REACHABLE =
  'Check first that both servers can be reached. If the message has arrived already, it is not sent twice.'
const DIFFERS =
  'A message that may be the copy is at the destination, but differs from the original. Retrying compares it again and does ' +
  'not send a second copy. If it still differs, compare the two yourself, delete the one you do not need, and use Abandon.'

function AskRetry({ transfer, onClose }: AskProps): JSX.Element {
  const retry = async (): Promise<void> => {
    const { status } = await post<TransferState>(`/transfers/${encodeURIComponent(transfer.id)}/retry`, {})
    notice(status === 'needs_operator' ? 'Tried again, and it failed again. Nothing was lost.' : 'It goes on.')
  }
  return (
    <Ask title="Try it again?" yes="Retry" tone="good" onYes={retry} onClose={onClose}>
      <p>{transfer.unproven === undefined ? REACHABLE : DIFFERS}</p>
    </Ask>
  )
}

function AskAbandon({ transfer, onClose }: AskProps): JSX.Element {
  const abandon = async (): Promise<void> => {
    await post(`/transfers/${encodeURIComponent(transfer.id)}/abandon`, {})
    notice('Given up. The original stays where it is.')
  }
  return (
    <Ask title="Give it up?" yes="Abandon" tone="bad" careful onYes={abandon} onClose={onClose}>
      <p>
        Postern no longer follows this {transfer.operation}. The original stays in{' '}
        <Mail text={transfer.source.mailbox} /> of <Mail text={transfer.source.account} />; a copy may be left in{' '}
        <Mail text={transfer.destination.mailbox} /> of <Mail text={transfer.destination.account} />.
      </p>
    </Ask>
  )
}
