/** Removes what is kept of an account on this machine. The account itself, and the mail at its server, stay as they are. */
import { Failure } from '../../core/failure.ts'
import type { MirrorStore } from '../../ports/mirror-store.ts'

export interface Forgotten {
  readonly folders: number
  readonly messages: number
  /** Of the outbox. */
  readonly letters?: number
}

export async function forgetAccount(
  store: Pick<MirrorStore, 'lease' | 'folders' | 'forget'>,
  account: string,
): Promise<Forgotten> {
  const lease = await store.lease()
  if (lease === undefined) {
    const advice = `account ${account} is being synced by another process; stop it, then run this again`
    throw new Failure('conflict', advice, { stage: 'forget' })
  }
  try {
    const folders = await store.folders()
    await store.forget()
    return { folders: folders.length, messages: folders.reduce((sum, { kept }) => sum + kept, 0) }
  } catch (error) {
    await lease.release().catch(() => undefined)
    throw error
  }
}
