/**
 * The tree that `postern setup` works on.
 *
 * INVARIANT: it is changed whole or not at all. What is written is made beside it, and takes its place once it can be loaded.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../adapters/clock/system-clock.ts'
import { stageTree } from '../adapters/tree-writer/staged-tree.ts'
import { loadTree } from '../config/tree/load.ts'
import type { Tree } from '../config/tree/tree.ts'
import { Failure } from '../core/failure.ts'
import { planFor } from '../core/setup/preset.ts'
import type { Tried } from '../engine/setup/try-account.ts'
import type { StagedTree } from '../ports/tree-writer.ts'
import type { CurrentTree, GrantSteps, Removed, SetupWish } from '../surfaces/cli/setup/desk.ts'
import { grantAccess } from './grant-access.ts'
import { auditOf, type TreeParts } from './open-tree.ts'
import { forgetSecret } from './setup-secrets.ts'
import { currentTree } from './setup-tree.ts'
import { tryWith } from './setup-trial.ts'
import { accountFrom, sendingAccess } from './tree-accounts.ts'
import { secretsOf } from './tree-secrets.ts'

export interface SetupPlaceParts extends Pick<TreeParts, 'env' | 'log'> {
  /** Where the tree is, or will be. */
  readonly directory: string
  /** Where state lives. */
  readonly data: string
  /** How a person starts this program, for hints. */
  readonly program: string
}

export class SetupPlace {
  readonly #parts: SetupPlaceParts

  constructor(parts: SetupPlaceParts) {
    this.#parts = parts
  }

  load(): Tree {
    return this.#treeIn(this.#parts.directory)
  }

  current(): CurrentTree | undefined {
    return this.#exists() ? currentTree(this.load()) : undefined
  }

  write(wish: SetupWish, steps: GrantSteps, signal: AbortSignal): Promise<{ readonly backup?: string }> {
    return this.#staged(async (staged) => {
      await this.#prepare(staged, wish, steps, signal)
      return staged.commit()
    })
  }

  async remove(id: string): Promise<Removed> {
    const tree = this.load()
    const account = tree.accounts.find((candidate) => candidate.id === id)
    return this.#staged(async (staged) => {
      await staged.remove(id)
      const left = tree.accounts.length - 1
      if (left > 0) this.#treeIn(staged.directory)
      const committed = await staged.commit()
      const leftovers = account === undefined ? [] : await forgetSecret(tree, account)
      const kept = `"${this.#parts.program} forget ${id}" removes what is kept of its mail on this machine.`
      return { ...committed, left, leftovers: [...leftovers, ...(account?.mirror === 'off' ? [] : [kept])] }
    })
  }

  kept(ref: string): Promise<string> {
    return secretsOf(this.load(), this.#parts).read(ref)
  }

  look(id: string, signal: AbortSignal): Promise<Tried> {
    return this.#lookWith(this.load(), id, signal)
  }

  /** What is not committed leaves nothing behind. */
  async #staged<T>(work: (staged: StagedTree) => Promise<T>): Promise<T> {
    const { directory, program } = this.#parts
    const staged = await stageTree({ directory, program, now: () => systemClock.now() })
    try {
      return await work(staged)
    } finally {
      await staged.discard()
    }
  }

  /** The tree beside the real one is whole, its login is tried and its secrets are kept before it takes its place. */
  async #prepare(staged: StagedTree, wish: SetupWish, steps: GrantSteps, signal: AbortSignal): Promise<void> {
    const { env, log, data } = this.#parts
    const { account } = wish
    await staged.put(changeOf(wish, wish.roles ?? {}))
    const tree = this.#treeIn(staged.directory)
    await this.#keepPasswords(tree, wish)
    if (wish.roles !== undefined) return
    // A new account without a password, or one that is changed to it, is granted access to.
    if (account.auth === 'xoauth2' && !(await this.#isGranted(tree, account.secretRef))) {
      await grantAccess({ tree, account: account.id, steps, signal, env, directory: data, log })
    }
    const { roles } = await this.#lookWith(tree, account.id, signal, account.smtp !== undefined)
    await staged.put(changeOf(wish, roles))
    this.#treeIn(staged.directory)
  }

  async #keepPasswords(tree: Tree, { account, password, smtpPassword }: SetupWish): Promise<void> {
    const secrets = secretsOf(tree, this.#parts)
    const fresh = password === undefined ? smtpPassword && account.smtpSecretRef : account.secretRef
    if (fresh !== undefined && !secrets.writable) throw readOnlyStore(fresh)
    if (password !== undefined) await secrets.write(account.secretRef, password)
    if (smtpPassword !== undefined && account.smtpSecretRef !== undefined) {
      await secrets.write(account.smtpSecretRef, smtpPassword)
    }
  }

  async #isGranted(tree: Tree, ref: string): Promise<boolean> {
    const isOld = this.#exists() && this.load().accounts.some(({ auth }) => auth?.secretRef === ref)
    if (!isOld) return false
    return secretsOf(tree, this.#parts)
      .read(ref)
      .then(
        () => true,
        () => false,
      )
  }

  /** `andSend`: logs in where letters leave too, without sending any. */
  async #lookWith(tree: Tree, id: string, signal: AbortSignal, andSend = false): Promise<Tried> {
    const { env, log, data } = this.#parts
    const account = tree.accounts.find((candidate) => candidate.id === id)
    if (account === undefined) throw new Error('an account that was set up is there')
    const audit = auditOf(tree, data, this.#parts)
    try {
      const secrets = secretsOf(tree, this.#parts)
      const parts = { env, directory: data, audit, log, secrets }
      const { source, sender } = accountFrom(account, parts)
      await sender?.close()
      const trust = account.ca === undefined ? {} : { ca: account.ca }
      const smtp = andSend ? account.smtp : undefined
      return await tryWith(source, smtp, sendingAccess(account, parts) ?? NO_ACCESS, trust, signal)
    } finally {
      await audit.close()
    }
  }

  #treeIn(directory: string): Tree {
    return loadTree(directory, this.#parts.env, this.#parts.data)
  }

  #exists(): boolean {
    return existsSync(join(this.#parts.directory, 'accounts.yaml'))
  }
}

const NO_ACCESS = {
  credentials: () => Promise.reject(new Error('nothing is sent here')),
  standing: async () => ({ state: 'active', mayWrite: true }) as const,
  refused: async () => undefined,
}

function changeOf(
  { account, secrets, caller, policy, sends, access }: SetupWish,
  roles: SetupWish['roles'],
): Parameters<StagedTree['put']>[0] {
  const plan = access === undefined ? {} : { plan: planFor(access, roles ?? {}) }
  return { account, secrets, agent: { caller, policy, sends, ...plan } }
}

function readOnlyStore(ref: string): Failure {
  const cure = `put the password there yourself as ${ref}, or choose another backend in accounts.yaml`
  return new Failure('unsupported', `the secret store of this configuration cannot be written to; ${cure}`)
}
