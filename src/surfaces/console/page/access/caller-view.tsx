/** One caller: its accounts, their folders, and the level of each. */
import type { JSX } from 'preact'
import type { CallerAccess, FolderAccess } from '../api-types.ts'
import { Empty } from '../parts/callout.tsx'
import { Mail } from '../parts/mail.tsx'
import { plural } from '../times.ts'
import { Level } from './level.tsx'
import { mayWords, sendWords } from './words.ts'

export function CallerView({ caller }: { readonly caller: CallerAccess }): JSX.Element {
  const { id, policy, toolsets, send, accounts, words } = caller
  return (
    <section aria-labelledby="caller-title">
      <h2 id="caller-title">
        What <Mail text={id} /> may see and do
      </h2>
      <p class="soft">
        Policy <Mail text={policy} />; tools: {toolsets.join(', ') || 'none'}; {sendWords(send.approval)}
        {send.trusted.length > 0 && (
          <>
            , with these trusted: <Mail text={send.trusted.join(', ')} />
          </>
        )}
        .
      </p>
      {accounts.length === 0 ? (
        <Empty title="It sees no account.">
          <p>Its policy names none.</p>
        </Empty>
      ) : (
        <FolderTable accounts={accounts} />
      )}
      {words.length > 0 && (
        <details>
          <summary>The policy in words</summary>
          <ul>
            {words.map((line, at) => (
              <li key={at}>
                <Mail text={line} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function FolderTable({ accounts }: { readonly accounts: CallerAccess['accounts'] }): JSX.Element {
  return (
    <table class="cards">
      <caption class="unseen">Folders and levels</caption>
      <thead>
        <tr>
          <th scope="col">Account</th>
          <th scope="col">Folder</th>
          <th scope="col">Sees at most</th>
          <th scope="col">Without a rule</th>
          <th scope="col">Rules</th>
          <th scope="col">May</th>
        </tr>
      </thead>
      <tbody>
        {accounts.flatMap((account) =>
          account.folders.map((folder) => (
            <FolderRow key={`${account.id}/${folder.path}`} account={account.id} folder={folder} />
          )),
        )}
      </tbody>
    </table>
  )
}

function FolderRow({ account, folder }: { readonly account: string; readonly folder: FolderAccess }): JSX.Element {
  const { path, mode, ceiling, rules, capabilities } = folder
  return (
    <tr>
      <td data-name="Account">
        <Mail text={account} />
      </td>
      <td data-name="Folder">
        <strong>
          <Mail text={path} />
        </strong>
        <span class="soft beneath">{mode}</span>
      </td>
      <td data-name="Sees at most">
        <Level name={ceiling} />
      </td>
      <td data-name="Without a rule">
        <Level name={folder.default} />
      </td>
      <td data-name="Rules">
        <Rules rules={rules} />
      </td>
      <td data-name="May">{mayWords(capabilities)}</td>
    </tr>
  )
}

function Rules({ rules }: { readonly rules: readonly string[] }): JSX.Element {
  if (rules.length === 0) return <span class="soft">none</span>
  return (
    <details>
      <summary>{plural(rules.length, 'rule')}</summary>
      <ul>
        {rules.map((words, at) => (
          <li key={at}>
            <Mail text={words} />
          </li>
        ))}
      </ul>
    </details>
  )
}
