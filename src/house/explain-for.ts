/** Looks at one message for the operator and asks a caller's policy about it. */

import { systemClock } from '../adapters/clock/system-clock.ts'
import type { SecretiveLog } from '../adapters/log/log.ts'
import { dataDirectory } from '../config/directories.ts'
import type { Tree } from '../config/tree/tree.ts'
import { Failure } from '../core/failure.ts'
import { nameOf } from '../core/mailbox-path.ts'
import { ANY_UIDVALIDITY } from '../core/message-id.ts'
import { explain } from '../core/policy/explain.ts'
import { factsOf } from '../core/policy/facts.ts'
import { policyFrom } from '../core/policy/policy.ts'
import type { ExplainChoice } from '../surfaces/cli/choices.ts'
import type { Explanation } from '../surfaces/cli/explain.ts'
import { auditOf } from './open-tree.ts'
import { accountFrom } from './tree-accounts.ts'
import { secretsOf } from './tree-secrets.ts'

interface Parts {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly log: SecretiveLog
}

const ALL_FACTS = new Set(['senders', 'recipients', 'subject', 'authentication', 'structure'] as const)

export async function explainFor(choice: ExplainChoice, tree: Tree, parts: Parts): Promise<Explanation> {
  const caller = tree.callers.find(({ id }) => id === choice.caller)
  const found = tree.accounts.find(({ id }) => id === choice.account)
  if (caller === undefined) throw absent('caller', choice.caller)
  if (found === undefined) throw absent('account', choice.account)
  const definition = tree.policies.get(caller.policy)
  const folder = definition && policyFrom(definition).folder(choice.account, choice.folder)
  const entry = definition?.accounts.get(choice.account)?.find(({ path }) => path === folder?.path)
  if (folder === undefined || entry === undefined) {
    throw new Failure('not_found', `the policy of ${caller.id} does not name that folder, so it is hidden`)
  }
  const directory = dataDirectory(parts.env, parts.platform)
  const { env, log } = parts
  const audit = auditOf(tree, directory, parts)
  const secrets = secretsOf(tree, parts)
  const account = accountFrom(found, { env, directory, log, audit, secrets })
  const signal = AbortSignal.timeout(60_000)
  try {
    const name = nameOf(choice.folder, await account.source.delimiter(signal))
    if (name === undefined) throw new Failure('not_found', 'the account has no such folder')
    const at = { mailbox: name, uidvalidity: ANY_UIDVALIDITY }
    const opened = await account.source.open(at, choice.uid, signal)
    const facts = factsOf(opened, ALL_FACTS, account.authservId)
    const explained = explain(entry, facts, Math.floor(systemClock.now() / 1000))
    return { ...explained, path: entry.path, mode: entry.mode, default: entry.default }
  } finally {
    await account.source.close()
    await audit.close()
  }
}

function absent(what: string, id: string): Failure {
  return new Failure('not_found', `there is no ${what} "${id}" in the configuration`)
}
