/** What `postern setup` needs of adapters and configuration, put together. */
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createMailLookup } from '../adapters/autoconfig/lookup.ts'
import { systemClock } from '../adapters/clock/system-clock.ts'
import { stageTree } from '../adapters/tree-writer/staged-tree.ts'
import { configDirectory, dataDirectory, ownPlace } from '../config/directories.ts'
import { loadTree } from '../config/tree/load.ts'
import type { Tree } from '../config/tree/tree.ts'
import { Failure } from '../core/failure.ts'
import { planFor } from '../core/setup/preset.ts'
import { findServers } from '../engine/setup/find-servers.ts'
import type { Tried } from '../engine/setup/try-account.ts'
import type { MailLookup } from '../ports/mail-lookup.ts'
import type { StagedTree } from '../ports/tree-writer.ts'
import type { GrantSteps, Removed, SetupDesk, SetupWish } from '../surfaces/cli/setup/desk.ts'
import { clientDesk } from './client-desk.ts'
import { grantAccess } from './grant-access.ts'
import { auditOf, type TreeParts } from './open-tree.ts'
import { programWords } from './setup-program.ts'
import { forgetSecret } from './setup-secrets.ts'
import { currentTree } from './setup-tree.ts'
import { tryLogin, tryWith } from './setup-trial.ts'
import { accountFrom } from './tree-accounts.ts'
import { secretsOf } from './tree-secrets.ts'

export interface SetupDeskParts extends Omit<TreeParts, 'terminal'> {
  readonly stdin: Readable
  /** Stands in for DNS and the web. */
  readonly lookup?: MailLookup
}

const MOST_SECRET_BYTES = 16_384

export function setupDesk(config: string | undefined, parts: SetupDeskParts): SetupDesk {
  const { env, platform, log, stdin } = parts
  const directory = configDirectory(env, config)?.directory ?? ownPlace(env, platform)
  const data = dataDirectory(env, platform)
  const lookup = parts.lookup ?? createMailLookup()
  const treeIn = (place: string): Tree => loadTree(place, env, data)
  const program = programWords(process.argv[1] ?? '')
  return {
    program,
    directory,
    current: () => (existsSync(join(directory, 'accounts.yaml')) ? currentTree(treeIn(directory)) : undefined),
    find: (address, signal) => findServers(address, lookup, signal),
    hasKeychain,
    readSecret: (path, signal) => (path === '-' ? secretFrom(stdin, signal) : secretIn(path)),
    trial: (trial, signal) => tryLogin(trial, log, signal),
    async write(wish, steps, signal) {
      const staged = await stageTree({ directory, now: () => systemClock.now() })
      try {
        await prepare(staged, wish, steps, signal)
        return await staged.commit()
      } finally {
        await staged.discard()
      }
    },
    remove: (account) => remove(account),
    look: (account, signal) => lookWith(treeIn(directory), account, signal),
    clients: clientDesk(() => treeIn(directory), parts),
  }

  /** The tree beside the real one is whole, its login is tried and its secrets are kept before it takes its place. */
  async function prepare(staged: StagedTree, wish: SetupWish, steps: GrantSteps, signal: AbortSignal): Promise<void> {
    const { account, password, smtpPassword } = wish
    await staged.put(changeOf(wish, wish.roles ?? {}))
    const tree = treeIn(staged.directory)
    const secrets = secretsOf(tree, { env, log })
    if (password !== undefined && !secrets.writable) throw readOnlyStore(account.secretRef)
    if (password !== undefined) await secrets.write(account.secretRef, password)
    if (smtpPassword !== undefined && account.smtpSecretRef !== undefined) {
      await secrets.write(account.smtpSecretRef, smtpPassword)
    }
    if (wish.roles !== undefined) return
    // A new account without a password, or one that is changed to it, is granted access to.
    if (account.auth === 'xoauth2' && !(await isGranted(tree, account.secretRef))) {
      await grantAccess({ tree, account: account.id, steps, signal, env, directory: data, log })
    }
    const { roles } = await lookWith(tree, account.id, signal)
    await staged.put(changeOf(wish, roles))
    treeIn(staged.directory)
  }

  async function isGranted(tree: Tree, ref: string): Promise<boolean> {
    const isOld =
      existsSync(join(directory, 'accounts.yaml')) &&
      treeIn(directory).accounts.some(({ auth }) => auth?.secretRef === ref)
    if (!isOld) return false
    return secretsOf(tree, { env, log })
      .read(ref)
      .then(
        () => true,
        () => false,
      )
  }

  async function lookWith(tree: Tree, id: string, signal: AbortSignal): Promise<Tried> {
    const account = tree.accounts.find((candidate) => candidate.id === id)
    if (account === undefined) throw new Error('an account that was set up is there')
    const audit = auditOf(tree, data, parts)
    try {
      const { source, sender } = accountFrom(account, {
        env,
        directory: data,
        audit,
        log,
        secrets: secretsOf(tree, parts),
      })
      await sender?.close()
      return await tryWith(source, undefined, NO_ACCESS, {}, signal)
    } finally {
      await audit.close()
    }
  }

  async function remove(id: string): Promise<Removed> {
    const tree = treeIn(directory)
    const account = tree.accounts.find((candidate) => candidate.id === id)
    const staged = await stageTree({ directory, now: () => systemClock.now() })
    try {
      await staged.remove(id)
      const left = tree.accounts.length - 1
      if (left > 0) treeIn(staged.directory)
      const committed = await staged.commit()
      const leftovers = account === undefined ? [] : await forgetSecret(tree, account)
      const kept = `"${program} forget ${id}" removes what is kept of its mail on this machine.`
      return { ...committed, left, leftovers: [...leftovers, ...(account?.mirror === 'off' ? [] : [kept])] }
    } finally {
      await staged.discard()
    }
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

/** Nothing is found there, but somebody answers. */
async function hasKeychain(): Promise<boolean> {
  const { createKeychainStore } = await import('../adapters/secrets/keychain-store.ts')
  try {
    await createKeychainStore(undefined, 3000).read('secret://accounts/postern-setup/probe')
    return true
  } catch (error) {
    return error instanceof Failure && error.code === 'not_found'
  }
}

async function secretIn(path: string): Promise<string> {
  try {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      if (size > MOST_SECRET_BYTES) throw new Failure('too_large', 'the file with the password is too large')
      return trimmed(await file.readFile('utf8'))
    } finally {
      await file.close()
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('invalid_input', 'the file with the password cannot be read', { cause })
  }
}

async function secretFrom(input: Readable, signal: AbortSignal): Promise<string> {
  let text = ''
  for await (const chunk of input) {
    signal.throwIfAborted()
    text += String(chunk)
    if (text.length > MOST_SECRET_BYTES) throw new Failure('too_large', 'what stdin holds is too long for a password')
  }
  return trimmed(text)
}

function trimmed(text: string): string {
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '' || /[\r\n\0]/.test(secret)) {
    throw new Failure('invalid_input', 'the password must be a single line that is not empty')
  }
  return secret
}
