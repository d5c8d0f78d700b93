/** Removes what is kept of an account on this machine. The account itself, and the mail at its server, stay as they are. */
import { Failure } from '../../core/failure.ts'
import type { MirrorStore } from '../../ports/mirror-store.ts'

export interface Forgotten {
  /** Neither is known where what was kept could not be read. */
  readonly folders?: number
  readonly messages?: number
  /** Of the outbox. */
  readonly letters?: number
}

export async function forgetAccount(
  store: Pick<MirrorStore, 'folders' | 'forget'>,
  account: string,
): Promise<Forgotten> {
  const counted = await countKept(store)
  if (await store.forget()) return counted
  const advice = `account ${account} is being synced by another process; stop it, then run this again`
  throw new Failure('conflict', advice, { stage: 'forget' })
}

/** Whoever finds a mirror that cannot be read is told to forget it. */
const UNUSABLE: readonly Failure['code'][] = ['unreadable', 'unsupported']

async function countKept(store: Pick<MirrorStore, 'folders'>): Promise<Forgotten> {
  try {
    const folders = await store.folders()
    return { folders: folders.length, messages: folders.reduce((sum, { kept }) => sum + kept, 0) }
  } catch (error) {
    if (error instanceof Failure && UNUSABLE.includes(error.code)) return {}
    throw error
  }
}
