/** Where a folder stands: whether two looks at it saw the same, and whether a mirror of it can answer. */
import type { FolderState } from '../../core/mirror/state.ts'
import type { MirroredFolder } from '../../ports/mirror-store.ts'
import type { SyncParts } from './sync-parts.ts'

export function isSame(a: FolderState, b: FolderState): boolean {
  return (
    a.uidvalidity === b.uidvalidity && a.uidNext === b.uidNext && a.messages === b.messages && a.modseq === b.modseq
  )
}

/** Without a modseq nobody can tell from its state whether flags have changed. */
export function tellsFlags({ modseq }: FolderState): boolean {
  return modseq !== undefined
}

/**
 * Whether what is kept is as new as a state that the server was seen in. Of two that do not tell flags nobody knows. Whatever
 * comes or is flagged raises a modseq, but not on every server what goes: of two with the same one the fewer is the newer.
 */
export function reaches(kept: FolderState, seen: FolderState): boolean {
  if (kept.uidvalidity !== seen.uidvalidity) return false
  if (kept.modseq === undefined || seen.modseq === undefined) return false
  if (kept.modseq === seen.modseq && kept.messages > seen.messages) return false
  return kept.uidNext >= seen.uidNext && BigInt(kept.modseq) >= BigInt(seen.modseq)
}

export function isFilled({ filledDownTo }: MirroredFolder): boolean {
  return filledDownTo <= 1
}

export function isIndexed({ kept, indexed }: MirroredFolder): boolean {
  return indexed >= kept
}

/**
 * Whether what was indexed so far was indexed as it is wanted now. Too much is as wrong as too little: it must not be kept. Nor
 * may senders go on being judged by another server's word.
 */
export function isWanted(
  folder: MirroredFolder,
  { depth, authservId }: Pick<SyncParts, 'depth' | 'authservId'>,
): boolean {
  return folder.indexed === 0 || (folder.depth === depth && folder.authservId === authservId)
}
