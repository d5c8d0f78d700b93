/**
 * The vault in a directory.
 *
 * INVARIANT: what lies in `Approved/` leaves it by one atomic rename or stays as it is; nothing is ever written into a file
 * there. A file that was used up never comes back but by `putBack`, unchanged. What counts is what it says once nobody can
 * change it in its place any more.
 */
import { join, resolve } from 'node:path'
import type { ApprovalFile, Approvals } from '../../core/outbox/approval-file.ts'
import type { OutboxEntry } from '../../core/outbox/entry.ts'
import { presentEntry } from '../../core/outbox/present.ts'
import type { TakenApproval, Vault, VaultFolder } from '../../ports/vault.ts'
import { readApproval } from './approval-reader.ts'
import { vaultFailure } from './failures.ts'
import {
  type Content,
  makeFolder,
  moveInto,
  moveTo,
  namesIn,
  post,
  readText,
  remove,
  statOf,
  syncFolder,
} from './files.ts'
import { listApprovals, listRequests, listTaken } from './listing.ts'
import { fileNamed, fileOf, isRequestOf, takenName } from './names.ts'
import { relocate } from './relocate.ts'
import { requestText } from './request.ts'

const FOLDERS: readonly VaultFolder[] = ['Pending_Approval', 'Approved', 'Rejected', 'Done', 'Needs_Operator']

interface Lying {
  readonly folder: VaultFolder
  readonly name: string
  /** What it is called where it belongs. */
  readonly as: string
}

export interface VaultOptions {
  readonly directory: string
  /** All of a message as text, for its file. */
  readonly present?: (entry: OutboxEntry) => Promise<string>
}

export function createVault({ directory, present = async (entry) => presentEntry(entry) }: VaultOptions): Vault {
  return guarded(new VaultDirectory(resolve(directory), present))
}

class VaultDirectory implements Vault {
  readonly #root: string
  readonly #present: NonNullable<VaultOptions['present']>

  constructor(root: string, present: NonNullable<VaultOptions['present']>) {
    this.#root = root
    this.#present = present
  }

  async post(entry: OutboxEntry): Promise<string> {
    const file = fileOf(entry.id)
    for (const folder of FOLDERS) await makeFolder(this.#root, folder)
    await this.#postOnce(join(this.#root, 'Pending_Approval'), entry)
    // One that was used up for nothing is asked for again.
    if (entry.state.kind === 'waiting') await remove(this.#pathOf('Done', takenName(file, entry.id)))
    return `vault/Pending_Approval/${file}`
  }

  requests(): Promise<readonly string[]> {
    return listRequests(this.#root)
  }

  approvals(): Promise<Approvals> {
    return listApprovals(this.#root)
  }

  async isRejected(id: string): Promise<boolean> {
    if ((await this.#read('Rejected', fileOf(id))).kind === 'text') return true
    return (await this.#saysRejected('Pending_Approval', id)) || this.#saysRejected('Approved', id)
  }

  async take(file: string, letter: string, allows: (as: ApprovalFile) => boolean): Promise<boolean> {
    const from = this.#pathOf('Approved', fileNamed(file))
    if (!(await hasFolder(this.#root, 'Approved'))) return false
    const done = await makeFolder(this.#root, 'Done')
    const name = this.#nameOfTaken(file, letter)
    if (!(await moveTo(from, join(done, name)))) return false
    // Before anything is done that it allows, it is out of the way for good, whatever happens to the machine.
    await syncFolder(done)
    await syncFolder(join(this.#root, 'Approved'))
    const content = await readText(join(done, name))
    const reading = content.kind === 'text' ? readApproval(file, content.text, content.changed) : content
    if ('at' in reading && allows(reading)) return true
    await this.putBack(file, letter)
    return false
  }

  async putBack(file: string, letter: string): Promise<void> {
    const from = this.#pathOf('Done', this.#nameOfTaken(file, letter))
    await moveInto(from, await makeFolder(this.#root, 'Approved'), file)
  }

  async move(entry: OutboxEntry, to: VaultFolder, file?: string): Promise<void> {
    const target = await makeFolder(this.#root, to)
    const lying = this.#lyingOf(entry.id, file)
    for (const { folder, name, as } of lying) {
      if (await hasFolder(this.#root, folder)) await relocate(join(this.#root, folder), name, target, as, entry.state)
    }
    // Whoever has to look finds it here, even where nobody was asked before it was sent.
    if (to === 'Needs_Operator') await this.#postOnce(target, entry)
  }

  taken(): Promise<readonly TakenApproval[]> {
    return listTaken(this.#root)
  }

  async forget(ids: readonly string[]): Promise<void> {
    const gone = new Set(ids)
    for (const folder of gone.size === 0 ? [] : FOLDERS) {
      const names = (await namesIn(this.#root, folder)).filter((name) => isRequestOf(name, gone))
      for (const name of names) await remove(this.#pathOf(folder, name))
    }
  }

  /** Where files of this letter may lie, and the one that was used up for it. */
  #lyingOf(id: string, file: string | undefined): readonly Lying[] {
    const lying: Lying[] = FOLDERS.map((folder) => ({ folder, name: fileOf(id), as: fileOf(id) }))
    // Another one of its name may lie elsewhere, and be good still.
    if (file !== undefined) lying.unshift({ folder: 'Done', name: this.#nameOfTaken(file, id), as: file })
    return lying
  }

  async #postOnce(folder: string, entry: OutboxEntry): Promise<void> {
    const file = fileOf(entry.id)
    if ((await statOf(join(folder, file))) !== undefined) return
    await post(folder, file, requestText(entry, await this.#present(entry)))
  }

  #nameOfTaken(file: string, letter: string): string {
    fileOf(letter)
    return takenName(fileNamed(file), letter)
  }

  async #saysRejected(folder: VaultFolder, id: string): Promise<boolean> {
    const content = await this.#read(folder, fileOf(id))
    if (content.kind !== 'text') return false
    const reading = readApproval(fileOf(id), content.text, content.changed)
    return 'status' in reading && reading.id === id && reading.status?.toLowerCase() === 'rejected'
  }

  async #read(folder: VaultFolder, file: string): Promise<Content> {
    return (await hasFolder(this.#root, folder)) ? readText(this.#pathOf(folder, file)) : { kind: 'gone' }
  }

  #pathOf(folder: VaultFolder, file: string): string {
    return join(this.#root, folder, file)
  }
}

async function hasFolder(root: string, folder: VaultFolder): Promise<boolean> {
  return (await statOf(join(root, folder)))?.isDirectory() ?? false
}

function guarded(vault: Vault): Vault {
  return {
    post: (entry, now) => safely(() => vault.post(entry, now)),
    requests: () => safely(() => vault.requests()),
    approvals: () => safely(() => vault.approvals()),
    isRejected: (id) => safely(() => vault.isRejected(id)),
    take: (file, letter, allows) => safely(() => vault.take(file, letter, allows)),
    taken: () => safely(() => vault.taken()),
    putBack: (file, letter) => safely(() => vault.putBack(file, letter)),
    move: (entry, to, file) => safely(() => vault.move(entry, to, file)),
    forget: (ids) => safely(() => vault.forget(ids)),
  }
}

async function safely<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw vaultFailure(error)
  }
}
