/** What the files say of each other: every name is known, and every id is one thing. */

import { nearest } from '../../core/text/nearest.ts'
import type { ReadAccount } from './account.ts'
import type { ReadCaller } from './callers.ts'
import { quoted } from './fields.ts'
import type { ReadPolicy } from './policies.ts'
import type { Findings, Place } from './problems.ts'
import type { SecretStoreSettings } from './tree.ts'

/** What could not be read is absent: then nothing can be said about references to it. */
export interface ReadFiles {
  readonly accounts: readonly ReadAccount[] | undefined
  readonly callers: readonly ReadCaller[] | undefined
  readonly policies: readonly ReadPolicy[] | undefined
}

interface Named {
  readonly name: string
  readonly at: Place
}

export function checkReferences({ accounts, callers, policies }: ReadFiles, findings: Findings): void {
  const accountIds = accounts?.map(({ account, at }) => ({ name: account.id, at }))
  const callerIds = callers?.map(({ caller, at }) => ({ name: caller.id, at }))
  const policyNames = policies?.map(({ definition, at }) => ({ name: definition.name, at }))
  checkUnique('an account', accountIds ?? [], findings)
  checkUnique('a caller', callerIds ?? [], findings)
  checkUnique('a policy', policyNames ?? [], findings)
  const wantedPolicies = callers?.map(({ caller, policyAt }) => ({ name: caller.policy, at: policyAt }))
  const wantedAccounts = policies?.flatMap((policy) => policy.accounts.map(({ id, at }) => ({ name: id, at })))
  checkKnown('policy', wantedPolicies, policyNames, findings)
  checkKnown('account', wantedAccounts, accountIds, findings)
  warnUnused('no caller has this policy', policyNames, wantedPolicies, findings)
  warnUnused('no policy names this account, so nobody sees it', accountIds, wantedAccounts, findings)
  checkTokens(callers ?? [], findings)
  warnUnnamedReporters(accounts ?? [], policies ?? [], findings)
  warnSilentOutboxes({ accounts, callers, policies }, findings)
}

/** The tool set for sending is of little use to a caller none of whose accounts can send. */
function warnSilentOutboxes({ accounts, callers, policies }: ReadFiles, findings: Findings): void {
  if (accounts === undefined || policies === undefined) return
  const senders = new Set(accounts.filter(({ account }) => canSend(account)).map(({ account }) => account.id))
  for (const { caller, toolsetsAt } of callers ?? []) {
    const policy = policies.find(({ definition }) => definition.name === caller.policy)
    if (policy === undefined || !caller.toolsets?.includes('outbox')) continue
    if (policy.accounts.some(({ id }) => senders.has(id))) continue
    findings.warn(
      toolsetsAt,
      "outbox cannot send from any account of this caller's policy; give one smtp: { host: … } in accounts.yaml",
    )
  }
}

function canSend({ provider, smtp, identity }: ReadAccount['account']): boolean {
  return (provider === 'gmail' || smtp !== undefined) && identity !== undefined
}

/** Without a name only the topmost Received field says whose word on a sender counts. */
function warnUnnamedReporters(
  accounts: readonly ReadAccount[],
  policies: readonly ReadPolicy[],
  findings: Findings,
): void {
  const unnamed = new Set(accounts.filter(({ account }) => !account.authservId).map(({ account }) => account.id))
  for (const { definition, accounts: named } of policies) {
    for (const { id, at } of named.filter((account) => unnamed.has(account.id))) {
      const rules = definition.accounts.get(id)?.flatMap((folder) => folder.rules) ?? []
      if (!rules.some(({ match }) => match.authenticated)) continue
      const cure = `give account${quoted(id)} an authserv_id in accounts.yaml`
      findings.warn(at, `authenticated relies on who the topmost Received field says took the mail in; ${cure}`)
    }
  }
}

/** Without a store only a tree that keeps no secrets can be used. */
export function checkSecretStore(
  store: SecretStoreSettings | undefined,
  at: Place,
  { accounts, callers }: ReadFiles,
  findings: Findings,
): void {
  const secrets =
    accounts?.some(({ account }) => account.auth !== undefined) ||
    callers?.some(({ caller }) => tokenOf(caller) !== undefined)
  if (store !== undefined || !secrets) return
  findings.problem(
    at,
    'secret_store is missing; write secret_store: { backend: file_dir, path: … } or { backend: env_var }',
  )
}

function checkUnique(what: string, all: readonly Named[], findings: Findings): void {
  const seen = new Map<string, Place>()
  for (const { name, at } of all.filter((one) => one.name !== '')) {
    const earlier = seen.get(name)
    if (earlier === undefined) seen.set(name, at)
    else
      findings.problem(
        at,
        `there is ${what}${quoted(name)} already (${placeText(earlier)}); write another name instead`,
      )
  }
}

function checkKnown(
  what: string,
  wanted: readonly Named[] | undefined,
  known: readonly Named[] | undefined,
  findings: Findings,
): void {
  if (wanted === undefined || known === undefined) return
  const names = [...new Set(known.map(({ name }) => name))].filter((name) => name !== '')
  const there = new Set(names)
  for (const { name, at } of wanted.filter((one) => one.name !== '' && !there.has(one.name))) {
    const meant = nearest(name, names) ?? shortList(names)
    findings.problem(
      at,
      `there is no ${what}${quoted(name)}; ${meant === '' ? `add the ${what}` : `write ${meant} instead`}`,
    )
  }
}

function warnUnused(
  message: string,
  all: readonly Named[] | undefined,
  used: readonly Named[] | undefined,
  findings: Findings,
): void {
  if (all === undefined || used === undefined) return
  const names = new Set(used.map(({ name }) => name))
  for (const { name, at } of all) if (!names.has(name)) findings.warn(at, message)
}

/** Over HTTP the token says who is calling, so two callers with one token would be each other. */
function checkTokens(callers: readonly ReadCaller[], findings: Findings): void {
  const seen = new Map<string, ReadCaller>()
  for (const one of callers) {
    const ref = tokenOf(one.caller)
    if (ref === undefined || ref === '') continue
    const earlier = seen.get(ref)
    if (earlier === undefined) seen.set(ref, one)
    else {
      const other = quoted(earlier.caller.id)
      findings.problem(one.authAt, `the caller${other} has the same token; write a token_secret_ref of its own instead`)
    }
  }
}

function tokenOf(caller: ReadCaller['caller']): string | undefined {
  return caller.auth.type === 'shared_token' ? caller.auth.secretRef : undefined
}

function placeText({ file, line }: Place): string {
  return `${file}:${line}`
}

function shortList(names: readonly string[]): string {
  const listed = names.slice(0, 8).join(', ')
  return names.length > 1 ? `one of ${listed}${names.length > 8 ? ', …' : ''}` : listed
}
