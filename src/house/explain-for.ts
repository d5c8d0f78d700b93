/** Looks at one message for the operator and asks a caller's policy about it. */

import { systemClock } from '../adapters/clock/system-clock.ts'
import type { SecretiveLog } from '../adapters/log/log.ts'
import { dataDirectory } from '../config/directories.ts'
import type { Tree } from '../config/tree/tree.ts'
import { ABSENT_MAILBOX, mailboxMissing } from '../core/absent.ts'
import { Failure } from '../core/failure.ts'
import { nameOf, pathOf } from '../core/mailbox-path.ts'
import { ANY_UIDVALIDITY } from '../core/message-id.ts'
import { explain } from '../core/policy/explain.ts'
import { factsOf } from '../core/policy/facts.ts'
import { nothingAllowed, type Policy, policyFrom } from '../core/policy/policy.ts'
import { nearest } from '../core/text/nearest.ts'
import { judgedFolder } from '../engine/accounts/google-folders.ts'
import type { MailSource } from '../ports/mail-source.ts'
import type { ExplainChoice } from '../surfaces/cli/choices.ts'
import { escaped } from '../surfaces/cli/escaped.ts'
import type { Explanation } from '../surfaces/cli/explain.ts'
import { auditOf } from './open-tree.ts'
import { accountFrom } from './tree-accounts.ts'
import { secretsOf } from './tree-secrets.ts'

interface Parts {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly log: SecretiveLog
}

const MOST_NAMED = 10
const ALL_FACTS = new Set(['senders', 'recipients', 'subject', 'authentication', 'structure'] as const)

export async function explainFor(choice: ExplainChoice, tree: Tree, parts: Parts): Promise<Explanation> {
  const caller = tree.callers.find(({ id }) => id === choice.caller)
  const found = tree.accounts.find(({ id }) => id === choice.account)
  if (caller === undefined) throw absent('caller', choice.caller, tree.callers)
  if (found === undefined) throw absent('account', choice.account, tree.accounts)
  const definition = tree.policies.get(caller.policy)
  const policy = definition === undefined ? nothingAllowed : policyFrom(definition)
  const directory = dataDirectory(parts.env, parts.platform)
  const { env, log } = parts
  const audit = auditOf(tree, directory, parts)
  const secrets = secretsOf(tree, parts)
  const account = accountFrom(found, { env, directory, log, audit, secrets })
  const signal = AbortSignal.timeout(60_000)
  try {
    const { path, folder } = await judgedFolder(account, choice.folder, policy, signal)
    if (!folder.named) throw notNamed(choice, policy)
    const { definition: entry } = folder
    const opened = await openAt({ ...choice, folder: path }, account.source, signal)
    const facts = factsOf(opened, ALL_FACTS, account.authservId)
    const explained = explain(entry, facts, Math.floor(systemClock.now() / 1000))
    return { ...explained, path: entry.path, mode: entry.mode, default: entry.default }
  } finally {
    await account.source.close()
    await audit.close()
  }
}

function notNamed({ caller, account, folder }: ExplainChoice, policy: Policy): Failure {
  const named = policy.folders(account).map(({ path }) => path)
  const others = named.length === 0 ? 'no folder of that account' : someOf(named, folder)
  const what = `the policy of ${caller} does not name that folder, so it is hidden`
  return new Failure('not_found', `${what}; it names ${others}`)
}

async function openAt(
  { folder, uid }: ExplainChoice,
  source: MailSource,
  signal: AbortSignal,
): ReturnType<MailSource['open']> {
  const delimiter = await source.delimiter(signal)
  const name = nameOf(folder, delimiter)
  try {
    if (name === undefined) throw mailboxMissing()
    return await source.open({ mailbox: name, uidvalidity: ANY_UIDVALIDITY }, uid, signal)
  } catch (error) {
    if (!(error instanceof Failure) || error.message !== ABSENT_MAILBOX) throw error
    // A caller is sent to its tools for their names; a person at a terminal has none that lists them.
    const paths = (await source.mailboxes(signal)).map((mailbox) => pathOf(mailbox.name, delimiter))
    throw new Failure('not_found', `the account has no such folder; it has ${someOf(paths, folder)}`, { cause: error })
  }
}

function absent(what: string, id: string, known: readonly { readonly id: string }[]): Failure {
  const there =
    known.length === 0
      ? 'there is none'
      : `there are: ${someOf(
          known.map((one) => one.id),
          id,
        )}`
  return new Failure('not_found', `there is no ${what} "${id}" in the configuration; ${there}`)
}

/** As many as help, what was most likely meant first; with nothing in a name that could take hold of a terminal. */
function someOf(names: readonly string[], written: string): string {
  const meant = nearest(written, names)
  const ordered = names.toSorted((a, b) => Number(b === meant) - Number(a === meant))
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  return `${ordered.slice(0, MOST_NAMED).map(escaped).join(', ')}${more}`
}
