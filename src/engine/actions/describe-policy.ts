/**
 * What the caller's own policy says of it.
 *
 * INVARIANT: names no rule and no other caller; a server that cannot be reached costs only its count of hidden folders.
 */
import { Failure } from '../../core/failure.ts'
import type { DescribedAccount, HiddenCount } from '../../core/policy-description.ts'
import type { Account } from '../accounts/accounts.ts'
import { mailboxesOf } from './list-mailboxes.ts'
import type { Perform, Workshop } from './workshop.ts'

export const describePolicy: Perform<'describe_policy'> = async (_action, workshop) => {
  const { accounts, sight, callerId } = workshop
  const visible = accounts.list().filter(({ id }) => sight.sees(id))
  return {
    callerId,
    accounts: await Promise.all(visible.map((account) => describe(account, workshop))),
    hiddenAccounts: sight.conceals ? undefined : accounts.list().length - visible.length,
  }
}

async function describe(account: Account, workshop: Workshop): Promise<DescribedAccount> {
  const { id, provider, tokenCache = 'memory_only' } = account
  const folders = workshop.sight.folders(id).map((folder) => ({
    path: folder.path,
    mode: folder.mode,
    default: folder.default,
    ceiling: folder.ceiling,
    capabilities: [...folder.capabilities],
    rules: folder.rules,
  }))
  return { id, provider, tokenCache, folders, hiddenFolders: await hiddenFolders(account, workshop) }
}

async function hiddenFolders(account: Account, workshop: Workshop): Promise<HiddenCount> {
  if (workshop.sight.conceals) return undefined
  if ((await account.standing?.())?.state === 'needs_rebootstrap') return undefined
  try {
    return (await mailboxesOf(account.id, workshop)).others
  } catch (error) {
    if (error instanceof Failure && !workshop.signal.aborted) return undefined
    throw error
  }
}
