/** This caller, this message: which level, and why. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { reasonWords } from '../activity/words.ts'
import type { CallerAccess, Simulation } from '../api-types.ts'
import { Trouble } from '../parts/callout.tsx'
import { Mail } from '../parts/mail.tsx'
import { useQuestion } from '../question.ts'
import { Level } from './level.tsx'

export function Simulator({ caller }: { readonly caller: CallerAccess }): JSX.Element {
  const { answer, error, busy, ask } = useQuestion<Simulation>('/access/simulate')
  return (
    <section class="panel" aria-labelledby="simulator-title">
      <h2 id="simulator-title">Try a message</h2>
      <p class="soft">
        What <Mail text={caller.id} /> would see of one message, and which rule says so. Nobody but you is told.
      </p>
      <MessageForm caller={caller} busy={busy} onTry={(message) => ask({ caller: caller.id, ...message })} />
      <div aria-live="polite">
        {error !== undefined && <Trouble error={error} />}
        {answer !== undefined && error === undefined && <Result result={answer} />}
      </div>
    </section>
  )
}

interface MessageFormProps {
  readonly caller: CallerAccess
  readonly busy: boolean
  onTry(message: { readonly account: string; readonly mailbox: string; readonly uid: number }): void
}

function MessageForm({ caller, busy, onTry }: MessageFormProps): JSX.Element {
  const [account, setAccount] = useState(caller.accounts[0]?.id ?? '')
  const [mailbox, setMailbox] = useState('INBOX')
  const [uid, setUid] = useState('')
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault()
        onTry({ account, mailbox: mailbox.trim(), uid: Number(uid) })
      }}
    >
      <label>
        Account
        <select value={account} onChange={(event) => setAccount(event.currentTarget.value)}>
          {caller.accounts.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
      <label>
        Folder
        <input list="folders" required value={mailbox} onInput={(event) => setMailbox(event.currentTarget.value)} />
        <FolderNames folders={caller.accounts.find(({ id }) => id === account)?.folders ?? []} />
      </label>
      <label>
        Message (uid)
        <input
          inputMode="numeric"
          pattern="[1-9][0-9]{0,9}"
          title="a whole number from 1"
          required
          value={uid}
          onInput={(event) => setUid(event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={busy}>
        {busy ? 'Asking…' : 'Try'}
      </button>
    </form>
  )
}

/** A pattern is the name of no folder. */
function FolderNames({ folders }: Pick<CallerAccess['accounts'][number], 'folders'>): JSX.Element {
  const paths = folders.map(({ path }) => path).filter((path) => !path.includes('*'))
  return (
    <datalist id="folders">
      {paths.map((path) => (
        <option key={path} value={path} />
      ))}
    </datalist>
  )
}

function Result({ result }: { readonly result: Simulation }): JSX.Element {
  const { level, reason, path, mode, steps, subject, from } = result
  return (
    <div class="result">
      {(subject !== undefined || from !== undefined) && (
        <p>
          <strong>
            <Mail text={subject || '(no subject)'} />
          </strong>{' '}
          {from !== undefined && (
            <span class="soft">
              from <Mail text={from} />
            </span>
          )}
        </p>
      )}
      <Level name={level} />
      <p>
        Because: {reasonWords(reason)}, by the entry <Mail text={path} /> ({mode}, without a rule {result.default}).
      </p>
      {steps.length > 0 && (
        <ol class="steps">
          {steps.map(({ words, matched, level: grants }, at) => (
            <li key={at} class={matched === true ? 'on' : undefined}>
              <span aria-hidden="true">{matched === true ? '✓' : matched === false ? '–' : '!'}</span>{' '}
              {MATCHED[String(matched)]}: <Mail text={words} /> <span class="soft">({grants})</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

const MATCHED: Readonly<Record<string, string>> = {
  true: 'matches',
  false: 'does not match',
  'cannot be evaluated': 'cannot be evaluated, which hides the message',
}
