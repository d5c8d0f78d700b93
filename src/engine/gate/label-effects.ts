/**
 * At Google one message has several labels, so that a change in one folder shows in others: a star puts it under Starred,
 * deleting puts it into Trash, and a copy into Trash or Spam takes all other labels away.
 *
 * INVARIANT: what such a change would show this caller more of, or take away without leave, is denied like the same change
 * in the folder itself.
 */
import type { Action } from '../../core/action.ts'
import type { Denial } from '../../core/decision/decide.ts'
import type { Place } from '../../core/decision/needs.ts'
import { pathOf } from '../../core/mailbox-path.ts'
import type { Opened } from '../../core/message.ts'
import { isFlagged } from '../../core/policy/facts.ts'
import type { FolderPolicy, Verdict } from '../../core/policy/folder.ts'
import type { Account } from '../accounts/accounts.ts'
import { labelPlaces } from '../actions/label-places.ts'
import type { Workshop } from '../actions/workshop.ts'
import { risingDenied } from './rising.ts'

export interface LabelChange {
  readonly action: Action
  readonly account: Account
  readonly opened: Opened
  /** Its flags once the change is made. */
  readonly flags: readonly string[]
  /** What the caller sees of it now. */
  readonly now: Verdict
}

export async function labelEffects(change: LabelChange, workshop: Workshop): Promise<Denial | undefined> {
  const { action, account, opened, flags } = change
  if (account.google === undefined) return undefined
  const byRole = await foldersByRole(account, workshop)
  const trash = byRole('trash')
  if (action.kind === 'delete_message' && trash !== undefined) return shownMore(change, trash, opened.flags, workshop)
  const labelled = action.kind === 'change_labels' ? await underNewLabels(change, action.add, workshop) : undefined
  if (labelled !== undefined || isFlagged(flags) === isFlagged(opened.flags)) return labelled
  const starred = isFlagged(flags) ? byRole('flagged') : undefined
  return (
    (starred && shownMore(change, starred, flags, workshop)) ??
    workshop.sight
      .folders(account.id)
      .filter((folder) => folder.looksAtFlags && !folder.mayRaise)
      .map((folder) => raised(change, folder, workshop))
      .find((denial) => denial !== undefined)
  )
}

/** A label is a folder that the message comes into. */
async function underNewLabels(
  change: LabelChange,
  labels: readonly string[],
  workshop: Workshop,
): Promise<Denial | undefined> {
  for (const { path } of await labelPlaces(labels, change.account, workshop)) {
    const folder = workshop.sight.folderAt(change.account.id, path)
    const missing = 'accept_incoming' as const
    if (!folder.capabilities.has(missing)) return { kind: 'deny', reason: 'capability_missing', missing }
    const denial = shownMore(change, folder, change.flags, workshop)
    if (denial !== undefined) return denial
  }
  return undefined
}

/** A copy into one of these is a move. */
export async function takesAway(target: Place, account: Account, { signal }: Workshop): Promise<boolean> {
  if (account.google === undefined) return false
  const mailboxes = await account.source.mailboxes(signal)
  const role = mailboxes.find(({ name }) => name === target.mailbox)?.role
  return role === 'trash' || role === 'junk'
}

async function foldersByRole(
  account: Account,
  { sight, signal }: Workshop,
): Promise<(role: string) => FolderPolicy | undefined> {
  const mailboxes = await account.source.mailboxes(signal)
  return (role) => {
    const found = mailboxes.find((mailbox) => mailbox.role === role)
    return found && sight.folderAt(account.id, pathOf(found.name, found.delimiter))
  }
}

function shownMore(
  { account, opened, now }: LabelChange,
  folder: FolderPolicy,
  flags: readonly string[],
  { sight }: Workshop,
): Denial | undefined {
  if (folder.mayRaise) return undefined
  return risingDenied(now.level, sight.verdict(account, folder, opened, flags).level)
}

/** Under another label, by a rule that looks at the star. */
function raised(
  { account, opened, flags }: LabelChange,
  folder: FolderPolicy,
  { sight }: Workshop,
): Denial | undefined {
  const [now, later] = [sight.verdict(account, folder, opened), sight.verdict(account, folder, opened, flags)]
  return risingDenied(now.level, later.level)
}
