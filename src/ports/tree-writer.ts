/**
 * Writes a configuration tree.
 *
 * Promises: what a person wrote, comments too, stays where it is not what changes. Nothing of the tree changes before
 * `commit`; until then everything lies in a directory of its own, which is a whole tree that can be loaded. `commit` first
 * keeps a copy of what was there, then puts each file in place whole, in an order in which the tree can be loaded
 * at every moment; a tree that is new appears at once. Directories are 0700, files 0600. `Failure('conflict')` where somebody
 * else changed the tree in the meantime. `discard` leaves nothing behind and may be called at any time, also twice.
 */
import type { TreeChange } from '../core/setup/tree-change.ts'

export interface StagedTree {
  /** Where the changed tree lies until then. */
  readonly directory: string
  /** Replaces what was put before. */
  put(change: TreeChange): Promise<void>
  /** Takes an account out of every file. */
  remove(account: string): Promise<void>
  commit(): Promise<Committed>
  discard(): Promise<void>
}

export interface Committed {
  /** Where the copy of the earlier tree is. */
  readonly backup?: string
}
