/** A configuration tree that is being changed, in a directory of its own beside the real one. */
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from '../../core/failure.ts'
import type { TreeChange } from '../../core/setup/tree-change.ts'
import type { Committed, StagedTree } from '../../ports/tree-writer.ts'
import { withAccount, withoutAccount } from './accounts-text.ts'
import { withCaller } from './callers-text.ts'
import { treeFailure } from './failures.ts'
import { isEmptyPlace, namesIn, readIfThere, removeEmpty, replaceFile, syncDirectory, writeNew } from './files.ts'
import { stagesOf, sweepStages } from './left-stages.ts'
import { policyFileOf, withAccess, withoutAccess } from './policy-files.ts'

export interface StageOptions {
  /** Where the tree is, or will be. */
  readonly directory: string
  /** How a person starts this program, for the comments in the files. */
  readonly program?: string
  /** Milliseconds since 1970. */
  now(): number
}

const ACCOUNTS = 'accounts.yaml'
const CALLERS = 'callers.yaml'
const POLICIES = 'policies'
const BACKUPS = 'backups'
const OURS = [ACCOUNTS, CALLERS, POLICIES]

/** Texts of files by their path in the tree; undefined for one that is to go. */
type Files = ReadonlyMap<string, string | undefined>

export async function stageTree({ directory, program = 'postern', now }: StageOptions): Promise<StagedTree> {
  return mending(directory, async () => {
    const above = await mkdir(dirname(directory), { recursive: true, mode: 0o700 })
    const before = await filesOf(directory)
    await sweepStages(directory)
    const stage = await mkdtemp(`${stagesOf(directory)}${process.pid}-`)
    try {
      await linkOthers(directory, stage)
      await writeAll(stage, before)
    } catch (error) {
      await rm(stage, { recursive: true, force: true })
      throw error
    }
    let planned: Planned = { after: before, removing: false }
    const restage = async (next: Planned): Promise<void> => {
      for (const name of OURS) await rm(join(stage, name), { recursive: true, force: true })
      await writeAll(stage, next.after)
      planned = next
    }
    return {
      directory: stage,
      put: (change) => mending(directory, () => restage({ after: changed(before, change, program), removing: false })),
      remove: (account) => mending(directory, () => restage({ after: without(before, account), removing: true })),
      commit: () =>
        mending(directory, async () => {
          const committed = await commit({ directory, stage, before, ...planned, now })
          await rm(stage, { recursive: true, force: true })
          return committed
        }),
      async discard() {
        await rm(stage, { recursive: true, force: true })
        if (above !== undefined) await removeEmpty(dirname(directory), above)
      },
    }
  })
}

function changed(before: Files, { account, secrets, agent }: TreeChange, program: string): Files {
  const file = policyFileOf(before, agent.policy)
  return new Map([
    ...before,
    [ACCOUNTS, withAccount(before.get(ACCOUNTS), account, secrets, program)],
    [file, withAccess(before.get(file), account.id, agent, file, program)],
    [CALLERS, withCaller(before.get(CALLERS), agent, program)],
  ])
}

/** With the last account the tree goes: what is left could not be loaded. */
function without(before: Files, account: string): Files {
  const accounts = withoutAccount(before.get(ACCOUNTS) ?? '', account)
  const policies = [...before].filter(([file]) => file.startsWith(`${POLICIES}/`))
  if (accounts === undefined) return new Map([...before.keys()].map((file) => [file, undefined]))
  return new Map([
    ...before,
    ...policies.map(([file, text]) => [file, withoutAccess(text ?? '', account, file)] as const),
    [ACCOUNTS, accounts],
  ])
}

interface Planned {
  readonly after: Files
  readonly removing: boolean
}

interface Commit extends Planned {
  readonly directory: string
  readonly stage: string
  readonly before: Files
  now(): number
}

async function commit({ directory, stage, before, after, removing, now }: Commit): Promise<Committed> {
  if (await isEmptyPlace(directory)) {
    if (before.size > 0) throw changedMeanwhile()
    await rename(stage, directory)
    await syncDirectory(dirname(directory))
    return {}
  }
  const there = await filesOf(directory)
  const same = there.size === before.size && [...before].every(([file, text]) => there.get(file) === text)
  if (!same) throw changedMeanwhile()
  const backup = before.size === 0 ? undefined : await keepCopy(directory, before, now())
  await moveNewcomers(stage, directory)
  for (const file of inOrder(before, after, removing)) await replaceFile(directory, file, after.get(file))
  return backup === undefined ? {} : { backup }
}

/**
 * What is referred to comes before what refers to it, and goes after it. An account that is added comes first; one that is
 * removed is not referred to any more when it goes.
 */
function inOrder(before: Files, after: Files, removing: boolean): readonly string[] {
  const differing = [...after.keys()].filter((file) => before.get(file) !== after.get(file))
  // Without accounts.yaml there is no tree, so of a whole one it goes first.
  const last = removing && after.get(ACCOUNTS) !== undefined
  const rank = (file: string): number => {
    if (file === ACCOUNTS) return last ? 3 : 0
    return file === CALLERS ? 2 : 1
  }
  return differing.toSorted((a, b) => rank(a) - rank(b))
}

async function keepCopy(directory: string, before: Files, now: number): Promise<string> {
  const stamp = new Date(now).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15)
  await mkdir(join(directory, BACKUPS), { recursive: true, mode: 0o700 })
  const copy = await mkdtemp(join(directory, BACKUPS, `${stamp}-`))
  await writeAll(copy, before)
  return copy
}

/** Secrets that were put where there were none before. */
async function moveNewcomers(stage: string, directory: string): Promise<void> {
  const known = new Set([...(await namesIn(directory)), ...OURS])
  for (const name of await namesIn(stage)) {
    if (!known.has(name)) await rename(join(stage, name), join(directory, name))
  }
}

/** Certificates, secrets and whatever else lies there are found from the stage too. */
async function linkOthers(directory: string, stage: string): Promise<void> {
  for (const name of await namesIn(directory)) {
    if (!OURS.includes(name) && name !== BACKUPS) await symlink(join(directory, name), join(stage, name))
  }
}

async function filesOf(directory: string): Promise<Files> {
  const policies = (await namesIn(join(directory, POLICIES))).filter((name) => /^[^.].*\.ya?ml$/.test(name))
  const names = [ACCOUNTS, CALLERS, ...policies.map((name) => `${POLICIES}/${name}`)]
  const texts = await Promise.all(names.map(async (name) => [name, await readIfThere(join(directory, name))] as const))
  return new Map(texts.filter(([, text]) => text !== undefined))
}

async function writeAll(directory: string, files: Files): Promise<void> {
  for (const [file, text] of files) {
    if (text === undefined) continue
    await mkdir(dirname(join(directory, file)), { recursive: true, mode: 0o700 })
    await writeNew(join(directory, file), text)
  }
}

function changedMeanwhile(): Failure {
  return new Failure('conflict', 'somebody else changed the configuration at the same time; run "postern setup" again')
}

async function mending<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw treeFailure(directory, error)
  }
}
