/** How many messages would be shown at which level, before and after. */
import type { JSX } from 'preact'
import type { LevelCounts, PolicyChange } from '../api-types.ts'
import { Mail } from '../parts/mail.tsx'
import { count } from '../times.ts'
import { LEVELS } from './words.ts'

export function ChangeTable({ changes }: { readonly changes: readonly PolicyChange[] }): JSX.Element {
  return (
    <table class="cards">
      <caption class="unseen">What would be visible</caption>
      <thead>
        <tr>
          <th scope="col">Caller</th>
          <th scope="col">Folder</th>
          <th scope="col">Now</th>
          <th scope="col">Then</th>
          <th scope="col">For example</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <Row key={`${change.caller}/${change.account}/${change.mailbox}`} change={change} />
        ))}
      </tbody>
    </table>
  )
}

function Row({
  change: { caller, account, mailbox, before, after, examples },
}: {
  readonly change: PolicyChange
}): JSX.Element {
  return (
    <tr>
      <td data-name="Caller">
        <Mail text={caller} />
      </td>
      <td data-name="Folder">
        <strong>
          <Mail text={mailbox} />
        </strong>
        <span class="soft beneath">
          <Mail text={account} />
        </span>
      </td>
      <td data-name="Now">
        <Counts counts={before} />
      </td>
      <td data-name="Then">
        <Counts counts={after} />
      </td>
      <td data-name="For example">
        <ul class="examples">
          {examples.map(({ uid, subject, from, before: now, after: then }) => (
            <li key={uid}>
              <Mail text={subject || '(no subject)'} />
              <span class="soft beneath">
                <Mail text={from} />, message {uid}: {now} → {then}
              </span>
            </li>
          ))}
        </ul>
      </td>
    </tr>
  )
}

function Counts({ counts }: { readonly counts: LevelCounts }): JSX.Element {
  return (
    <ul class="counts">
      {LEVELS.filter((level) => (counts[level] ?? 0) > 0).map((level) => (
        <li key={level}>
          {level} <strong>{count(counts[level] ?? 0)}</strong>
        </li>
      ))}
    </ul>
  )
}
