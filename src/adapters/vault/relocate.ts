/**
 * Brings one file to where it belongs, with the state of its letter written in it.
 *
 * INVARIANT: it is whole in one place at every moment. Nothing is written into a file that lies in `Approved/`: whoever takes it
 * at that moment would see it come back.
 */
import { basename, join } from 'node:path'
import type { EntryState } from '../../core/outbox/entry.ts'
import type { VaultFolder } from '../../ports/vault.ts'
import { moveInto, place, readText, remove, replace } from './files.ts'
import { withState } from './request.ts'

const APPROVED: VaultFolder = 'Approved'

/** `as`: its name there. */
export async function relocate(from: string, name: string, to: string, as: string, state: EntryState): Promise<void> {
  const content = await readText(join(from, name))
  if (content.kind !== 'text') return
  const text = withState(content.text, state)
  if (from === to && name === as) {
    const isNews = text !== undefined && text !== content.text
    if (isNews && basename(to) !== APPROVED) await replace(to, name, text)
    return
  }
  if (text === undefined) {
    await moveInto(join(from, name), to, as)
    return
  }
  await place(to, as, text)
  await remove(join(from, name))
}
