/** What a policy file would change, on real mail, before it is applied. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { CallerAccess, PolicyDiff } from '../api-types.ts'
import { Callout, Empty, Trouble } from '../parts/callout.tsx'
import { Mail } from '../parts/mail.tsx'
import { useQuestion } from '../question.ts'
import { plural } from '../times.ts'
import { ChangeTable } from './change-table.tsx'
import { Dangers, SettingTable } from './setting-table.tsx'

export function Comparison({ callers }: { readonly callers: readonly CallerAccess[] }): JSX.Element {
  const [text, setText] = useState('')
  const [caller, setCaller] = useState('')
  const { answer, error, busy, ask } = useQuestion<PolicyDiff>('/access/diff')
  return (
    <section class="panel" aria-labelledby="comparison-title">
      <h2 id="comparison-title">What would this policy change?</h2>
      <p class="soft">
        Paste a policy file, or callers.yaml. It is compared with the current configuration, setting by setting and on
        the newest messages of each folder. Nothing is applied.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          ask({ policyText: text, ...(caller !== '' && { caller }) })
        }}
      >
        <label for="policy-text">Policy file</label>
        <textarea
          id="policy-text"
          rows={10}
          spellcheck={false}
          required
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <div class="filters">
          <label>
            For
            <select value={caller} onChange={(event) => setCaller(event.currentTarget.value)}>
              <option value="">everyone with the policy of that name</option>
              {callers.map(({ id }) => (
                <option key={id} value={id}>
                  {id}
                </option>
              ))}
            </select>
          </label>
          <button type="submit" disabled={busy}>
            {busy ? 'Comparing…' : 'Compare'}
          </button>
        </div>
      </form>
      <div aria-live="polite">
        {error !== undefined && <Trouble error={error} />}
        {answer !== undefined && error === undefined && <Difference diff={answer} />}
      </div>
    </section>
  )
}

function Difference({
  diff: { problems, settings, changes, looked, policy, unreached },
}: {
  readonly diff: PolicyDiff
}): JSX.Element {
  if (problems.length > 0) {
    return (
      <Callout tone="bad" title="Invalid policy">
        <ul>
          {problems.map(({ line, column, message }, at) => (
            <li key={at}>
              Line {line}, column {column}: <Mail text={message} />
            </li>
          ))}
        </ul>
      </Callout>
    )
  }
  const seen = `${plural(looked.messages, 'message')} in ${plural(looked.folders, 'folder')} looked at.`
  return (
    <>
      {settings.length + changes.length === 0 ? (
        <Empty title="Nothing would change.">
          <p>{seen}</p>
        </Empty>
      ) : (
        <>
          <Dangers settings={settings} />
          <p>
            {policy === '' ? (
              'These callers'
            ) : (
              <>
                The policy <Mail text={policy} />
              </>
            )}{' '}
            would change {plural(settings.length, 'setting')}, and what is visible in {plural(changes.length, 'folder')}
            . <span class="soft">{seen}</span>
          </p>
        </>
      )}
      {settings.length > 0 && <SettingTable settings={settings} />}
      {unreached.length > 0 && (
        <Callout tone="warn" title="Some mail could not be looked at">
          <ul>
            {unreached.map(({ account, message }) => (
              <li key={account}>
                <Mail text={account} />: <Mail text={message} />
              </li>
            ))}
          </ul>
        </Callout>
      )}
      {changes.length > 0 && <ChangeTable changes={changes} />}
    </>
  )
}
