/**
 * Postern for several agents: accounts, callers and policies from a configuration tree, replaced as a whole on reload.
 *
 * INVARIANT: a tree that cannot be used never starts and never replaces one that can. A caller stays who it was for as
 * long as it is connected; what it may do follows the tree of the moment.
 */
import { isDeepStrictEqual } from 'node:util'
import { systemClock } from '../adapters/clock/system-clock.ts'
import type { SecretiveLog } from '../adapters/log/log.ts'
import { loadTree } from '../config/tree/load.ts'
import { TreeProblems } from '../config/tree/problems.ts'
import type { Tree, TreeAccount, TreeCaller } from '../config/tree/tree.ts'
import { policyReload, poolDrain } from '../core/audit/events.ts'
import { Failure } from '../core/failure.ts'
import { nothingAllowed, type Policy, policyFrom } from '../core/policy/policy.ts'
import { type Account, Accounts } from '../engine/accounts/accounts.ts'
import type { AuditLog } from '../ports/audit-log.ts'
import type { SecretStore } from '../ports/secrets.ts'
import type { TokenHolder } from '../surfaces/mcp/bearer.ts'
import type { Visitor } from '../surfaces/mcp/server.ts'
import type { ToolSet } from '../surfaces/tools/tool.ts'
import { usefulTools } from '../surfaces/tools/useful-tools.ts'
import { setsNamed } from './tool-sets.ts'
import { type AccountParts, accountFrom, noteScopeChange } from './tree-accounts.ts'
import { secretsOf, shortToken } from './tree-secrets.ts'

type Variables = Readonly<Record<string, string | undefined>>

export interface TreeHouseParts {
  /** Of the tree. */
  readonly config: string
  /** Where state lives. */
  readonly directory: string
  readonly env: Variables
  readonly log: SecretiveLog
  /** Absent where nothing is to be kept: then only servers are asked. */
  readonly mirrors?: AccountParts['mirrors']
  readonly transport: 'stdio' | 'http'
  /** The tool sets of all callers, where the command line names them. */
  readonly toolsets: readonly string[] | undefined
}

/** A caller of the tree, ready to be let in. */
export interface Resident {
  readonly caller: TreeCaller
  readonly policy: Policy
  readonly sets: readonly ToolSet[]
}

interface Edition {
  readonly tree: Tree
  readonly residents: ReadonlyMap<string, Resident>
  /** Over HTTP. */
  readonly holders: readonly TokenHolder[]
  readonly made: ReadonlyMap<string, { readonly from: TreeAccount; readonly account: Account }>
}

const DEFAULT_SETS = ['policy']

export class TreeHouse {
  readonly accounts: Accounts
  readonly #parts: TreeHouseParts
  readonly #audit: AuditLog
  #edition: Edition
  #reloading: Promise<void> = Promise.resolve()

  /** Throws `TreeProblems` or another `Failure` for a tree that cannot be served. */
  static async open(parts: TreeHouseParts, tree: Tree, audit: AuditLog): Promise<TreeHouse> {
    let house: TreeHouse | undefined
    const visit = (id: string, address: string): Visitor => {
      if (house === undefined) throw new Error('somebody came before the door was there')
      return house.visitor(id, address)
    }
    house = new TreeHouse(parts, audit, await makeEdition(tree, parts, audit, undefined, visit))
    return house
  }

  private constructor(parts: TreeHouseParts, audit: AuditLog, edition: Edition) {
    this.#parts = parts
    this.#audit = audit
    this.#edition = edition
    this.accounts = new Accounts([...edition.made.values()].map(({ account }) => account))
  }

  resident(id: string): Resident | undefined {
    return this.#edition.residents.get(id)
  }

  /** As it was last read and taken. */
  get tree(): Tree {
    return this.#edition.tree
  }

  holders(): readonly TokenHolder[] {
    return this.#edition.holders
  }

  get secrets(): SecretStore {
    return secretsFor(this.#edition.tree, this.#parts)
  }

  /** A caller that a reload has taken out of the tree may do nothing any more. */
  visitor(id: string, address: string): Visitor {
    const current = (): Resident | undefined => this.#edition.residents.get(id)
    const { sets: before } = current() ?? { sets: [] }
    return {
      get caller() {
        const resident = current()
        const { limits, uncertain = 'mark' } = resident?.caller ?? {}
        const policy = resident?.policy ?? nothingAllowed
        return { id, address, policy, uncertain, ...(limits !== undefined && { limits }) }
      },
      get sets() {
        return current()?.sets ?? before
      },
    }
  }

  /** Reads the tree again and swaps it in, or leaves everything as it is. One at a time; never rejects. */
  reload(): Promise<void> {
    this.#reloading = this.#reloading
      .then(() => this.#reload())
      .catch((error: unknown) => {
        this.#parts.log.error({ err: error }, 'the configuration could not be read again')
      })
    return this.#reloading
  }

  async #reload(): Promise<void> {
    const { config, env, directory, log } = this.#parts
    try {
      const tree = loadTree(config, env, directory)
      const { tree: before } = this.#edition
      const visit = (id: string, address: string): Visitor => this.visitor(id, address)
      const edition = await makeEdition(tree, this.#parts, this.#audit, this.#edition, visit)
      for (const account of before.accounts) {
        const after = tree.accounts.find(({ id }) => id === account.id)
        await noteScopeChange(account, after, { directory, secrets: secretsFor(before, this.#parts) })
      }
      // On record first: what cannot be recorded is not done.
      await this.#audit.append(policyReload(now(), 'reload_applied'))
      this.#edition = edition
      const closed = this.accounts.replace([...edition.made.values()].map(({ account }) => account))
      for (const id of closed) await this.#audit.append(poolDrain(now(), id, 'account_changed_or_removed'))
      // A warning only in that it is always shown: whoever asked for the reload wants to know.
      log.warn({}, 'the configuration was read again and counts from now on')
      for (const warning of [...tree.warnings, ...needRestart(before, tree)]) log.warn({}, warning)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const outcome = error instanceof TreeProblems ? error.kind : 'validation_error'
      log.error({ problems: error.message }, 'the configuration was not changed: the new one cannot be used')
      await this.#audit.append(policyReload(now(), outcome))
    }
  }
}

/** Everything that could fail happens here, before anything is replaced. */
async function makeEdition(
  tree: Tree,
  parts: TreeHouseParts,
  audit: AuditLog,
  before: Edition | undefined,
  visit: (id: string, address: string) => Visitor,
): Promise<Edition> {
  const residents = new Map(tree.callers.map((caller) => [caller.id, residentFrom(caller, tree, parts)]))
  const secrets = secretsFor(tree, parts)
  const holders = parts.transport === 'http' ? await tokenHolders(tree, secrets, parts.log, visit) : []
  const { env, directory, log, mirrors } = parts
  const kept = mirrors === undefined ? {} : { mirrors }
  const accountParts = { env, directory, log, audit, secrets, ...kept }
  const same = before !== undefined && isDeepStrictEqual(before.tree.secretStore, tree.secretStore)
  const made = new Map(
    tree.accounts.map((from) => {
      const known = same ? before.made.get(from.id) : undefined
      const account =
        known !== undefined && isDeepStrictEqual(known.from, from) ? known.account : accountFrom(from, accountParts)
      return [from.id, { from, account }]
    }),
  )
  return { tree, residents, holders, made }
}

function secretsFor(tree: Tree, { env, log }: TreeHouseParts): SecretStore {
  return secretsOf(tree, { env, log, warn: (warning) => log.warn({}, warning) })
}

function residentFrom(caller: TreeCaller, tree: Tree, { toolsets, transport }: TreeHouseParts): Resident {
  if (transport === 'http' && caller.auth.type === 'stdio_trusted') {
    const cure = 'give it auth: { type: shared_token, token_secret_ref: … }, or keep it in another tree for stdio'
    throw new Failure('invalid_input', `caller "${caller.id}" is stdio_trusted and cannot be served over HTTP; ${cure}`)
  }
  const definition = tree.policies.get(caller.policy)
  const policy = definition === undefined ? nothingAllowed : policyFrom(definition)
  const sets = setsNamed(toolsets ?? caller.toolsets ?? DEFAULT_SETS)
  const ids = tree.accounts.map(({ id }) => id)
  return { caller, policy, sets: caller.hideDeniedTools ? usefulTools(sets, policy, ids) : sets }
}

async function tokenHolders(
  tree: Tree,
  secrets: SecretStore,
  log: SecretiveLog,
  visit: (id: string, address: string) => Visitor,
): Promise<readonly TokenHolder[]> {
  const holders = new Map<string, TokenHolder>()
  for (const { id, auth } of tree.callers) {
    if (auth.type !== 'shared_token') continue
    const token = await secrets.read(auth.secretRef)
    if (!/^[\x21-\x7e]+$/.test(token)) {
      const cure = 'it must be letters, digits and signs of ASCII, without spaces'
      throw new Failure('invalid_input', `the token of caller "${id}" cannot be sent in a header; ${cure}`)
    }
    const twin = holders.get(token)
    if (twin !== undefined) {
      throw new Failure('invalid_input', `callers "${twin.id}" and "${id}" have the same token; give each its own`)
    }
    for (const warning of shortToken(id, token)) log.warn({}, warning)
    holders.set(token, { id, token, visit: (address) => visit(id, address) })
  }
  return [...holders.values()]
}

/** The record and the journal are opened once, at the start. */
function needRestart(before: Tree, after: Tree): readonly string[] {
  const changed = [
    ...(isDeepStrictEqual(before.audit, after.audit) ? [] : ['audit']),
    ...(before.walPath === after.walPath ? [] : ['wal']),
    ...(isDeepStrictEqual(before.attachments, after.attachments) ? [] : ['attachments']),
  ]
  return changed.map((key) => `accounts.yaml: ${key} has changed; that needs a restart, until then the old one counts`)
}

function now(): string {
  return new Date(systemClock.now()).toISOString()
}
