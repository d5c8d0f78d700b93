/**
 * The vault in a directory.
 *
 * INVARIANT: what lies in `Approved/` leaves it by one atomic rename or stays as it is; nothing is ever written into a file
 * there. A file that was used up never comes back but by `putBack`, unchanged.
 */
import { join, resolve } from 'node:path'
import type { OutboxEntry } from '../../core/outbox/entry.ts'
import type { Vault, VaultFolder } from '../../ports/vault.ts'
import { readApproval } from './approval-reader.ts'
import { vaultFailure } from './failures.ts'
import {
  type Content,
  makeFolder,
  moveInto,
  namesIn,
  post,
  readText,
  remove,
  statOf,
  syncFolder,
  unfitness,
} from './files.ts'
import { listApprovals, listRequests } from './listing.ts'
import { fileNamed, fileOf, isRequestOf } from './names.ts'
import { relocate } from './relocate.ts'
import { requestText } from './request.ts'

const FOLDERS: readonly VaultFolder[] = ['Pending_Approval', 'Approved', 'Rejected', 'Done', 'Needs_Operator']

interface Lying {
  readonly folder: VaultFolder
  readonly name: string
}

export function createVault({ directory }: { readonly directory: string }): Vault {
  const root = resolve(directory)
  /** Under which name the file lies in `Done/` that was taken here for a letter. */
  const taken = new Map<string, string>()
  const pathOf = (folder: VaultFolder, file: string): string => join(root, folder, file)

  const read = async (folder: VaultFolder, file: string): Promise<Content> =>
    (await hasFolder(root, folder)) ? readText(pathOf(folder, file)) : { kind: 'gone' }
  const saysRejected = async (folder: VaultFolder, id: string): Promise<boolean> => {
    const content = await read(folder, fileOf(id))
    if (content.kind !== 'text') return false
    const reading = readApproval(fileOf(id), content.text, content.changed)
    return 'status' in reading && reading.id === id && reading.status?.toLowerCase() === 'rejected'
  }

  const vault: Vault = {
    async post(entry) {
      const file = fileOf(entry.id)
      for (const folder of FOLDERS) await makeFolder(root, folder)
      await postOnce(join(root, 'Pending_Approval'), entry)
      // One that was used up for nothing is asked for again.
      if (entry.state.kind === 'waiting') await remove(pathOf('Done', file))
      return `vault/Pending_Approval/${file}`
    },
    requests: () => listRequests(root),
    approvals: () => listApprovals(root),
    async isRejected(id) {
      if ((await read('Rejected', fileOf(id))).kind === 'text') return true
      return (await saysRejected('Pending_Approval', id)) || saysRejected('Approved', id)
    },
    async take(file, letter) {
      const from = pathOf('Approved', fileNamed(file))
      if (!(await hasFolder(root, 'Approved'))) return false
      const done = await makeFolder(root, 'Done')
      const name = await moveInto(from, done, file)
      if (name === undefined) return false
      // Before anything is done that it allows, it is out of the way for good, whatever happens to the machine.
      await syncFolder(done)
      await syncFolder(join(root, 'Approved'))
      const found = await statOf(join(done, name))
      if (found === undefined || unfitness(found) !== undefined) return false
      taken.set(letter, name)
      return true
    },
    async putBack(file, letter) {
      const name = taken.get(letter) ?? fileNamed(file)
      taken.delete(letter)
      await moveInto(pathOf('Done', name), await makeFolder(root, 'Approved'), fileNamed(file))
    },
    async move(entry, to, file) {
      const target = await makeFolder(root, to)
      const lying: Lying[] = FOLDERS.map((folder) => ({ folder, name: fileOf(entry.id) }))
      // A file that was used up lies in `Done/`; another one of its name may lie elsewhere, and be good still.
      if (file !== undefined) lying.push({ folder: 'Done', name: taken.get(entry.id) ?? fileNamed(file) })
      taken.delete(entry.id)
      const moved = new Set<string>()
      for (const { folder, name } of lying) {
        const key = `${folder}/${name}`
        if (moved.has(key) || !(await hasFolder(root, folder))) continue
        moved.add(key)
        await relocate(join(root, folder), name, target, entry.state)
      }
      // Whoever has to look finds it here, even where nobody was asked before it was sent.
      if (to === 'Needs_Operator') await postOnce(target, entry)
    },
    async forget(ids) {
      const gone = new Set(ids)
      for (const folder of gone.size === 0 ? [] : FOLDERS) {
        const names = (await namesIn(root, folder)).filter((name) => isRequestOf(name, gone))
        for (const name of names) await remove(pathOf(folder, name))
      }
    },
  }
  return guarded(vault)
}

async function postOnce(folder: string, entry: OutboxEntry): Promise<void> {
  const file = fileOf(entry.id)
  if ((await statOf(join(folder, file))) === undefined) await post(folder, file, requestText(entry))
}

async function hasFolder(root: string, folder: VaultFolder): Promise<boolean> {
  return (await statOf(join(root, folder)))?.isDirectory() ?? false
}

function guarded(vault: Vault): Vault {
  const safely =
    <Args extends readonly unknown[], T>(work: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      try {
        return await work(...args)
      } catch (error) {
        throw vaultFailure(error)
      }
    }
  return {
    post: safely(vault.post),
    requests: safely(vault.requests),
    approvals: safely(vault.approvals),
    isRejected: safely(vault.isRejected),
    take: safely(vault.take),
    putBack: safely(vault.putBack),
    move: safely(vault.move),
    forget: safely(vault.forget),
  }
}
