/**
 * Finds out what a caller may do and see, in this order: account, its access, folder, message, and what a change would
 * make of the message's visibility.
 *
 * INVARIANT: nothing is changed here, and no body is fetched. A message that is hidden behaves as one that is missing where
 * the policy conceals. A change that would show this caller more of a message than it sees now is denied.
 */

import { messageMissing } from '../../core/absent.ts'
import type { Action } from '../../core/action.ts'
import { mapPlaces, UNCHANGED } from '../../core/decision/action-places.ts'
import {
  type Allowance,
  type Decision,
  type Denial,
  decide,
  deniedFor,
  hiddenAccount,
} from '../../core/decision/decide.ts'
import { flagsAfter, labelFlags } from '../../core/decision/flags.ts'
import { changesMail, needsOf, type Place } from '../../core/decision/needs.ts'
import { Failure } from '../../core/failure.ts'
import type { Opened } from '../../core/message.ts'
import { ANY_UIDVALIDITY, type MessageRef } from '../../core/message-id.ts'
import { FIELDS_OF, isFlagged } from '../../core/policy/facts.ts'
import type { FolderPolicy, Verdict } from '../../core/policy/folder.ts'
import type { Level } from '../../core/policy/level.ts'
import type { Policy } from '../../core/policy/policy.ts'
import { tagChange } from '../actions/tag-change.ts'
import type { Workshop } from '../actions/workshop.ts'
import { accessDenied } from './access-denied.ts'
import { atTarget } from './at-target.ts'
import { judgeEach } from './judge-each.ts'
import { judgeMany } from './judge-many.ts'
import { labelEffects, takesAway } from './label-effects.ts'
import type { Locator } from './locate.ts'
import { rises, risingDenied } from './rising.ts'

export interface Judged {
  readonly decision: Decision
  /** The same action, with its folders and its message pinned down. */
  readonly action: Action
}

export interface Case {
  readonly policy: Policy
  readonly action: Action
  readonly workshop: Workshop
  readonly locator: Locator
  /** Told as soon as account and folder allow it: what happens from then on happens to an allowed call. */
  onAllowed(allowance: Allowance): void
}

export async function judge({ policy, action, workshop, locator, onAllowed }: Case): Promise<Judged> {
  const needs = needsOf(action)
  const refused = hiddenAccount(policy, needs) ?? (await accessDenied(action, needs, workshop.accounts))
  if (refused !== undefined) return { decision: refused, action }
  const pathOf = await locator.paths(needs.places)
  const decision = decide(policy, action, pathOf)
  if (decision.kind === 'deny') return { decision, action }
  const folders = needs.places.map((place) => policy.folder(place.account, pathOf(place)))
  const provisional = { ...decision, level: folders[0]?.uniform?.level ?? folders[0]?.default ?? decision.level }
  onAllowed(provisional)
  const [origin, goal] = needs.places
  if (origin !== undefined) await locator.mustBeListed(origin, pathOf(origin))
  if (goal !== undefined) await atTarget(() => locator.mustBeListed(goal, pathOf(goal)))
  const located = await locator.toNames(action)
  const [place, target] = needsOf(located).places
  const [folder, targetFolder] = folders
  if (await takesWithoutLeave(located, place, target, folder, workshop)) {
    const missing = 'move_out' as const
    return { decision: { kind: 'deny', reason: 'capability_missing', missing, remedy: policy.howToAllow }, action }
  }
  if (located.kind === 'relocate_many') return { decision, action: await judgeMany(located, workshop) }
  if (place === undefined || folder === undefined) return { decision, action: located }
  const about = { place, folder, target, targetFolder, workshop, allowance: provisional }
  if (located.kind === 'mark_many') {
    const alone = async (one: Action & { readonly message: MessageRef }): Promise<Decision> =>
      (await judgeMessage({ ...about, action: one, place: { ...place, message: one.message } })).decision
    return { decision, action: await judgeEach(located, alone, workshop) }
  }
  return place.message === undefined ? { decision, action: located } : judgeMessage({ ...about, action: located })
}

async function takesWithoutLeave(
  action: Action,
  place: Place | undefined,
  target: Place | undefined,
  folder: FolderPolicy | undefined,
  workshop: Workshop,
): Promise<boolean> {
  const copies = action.kind === 'copy_message' || (action.kind === 'relocate_many' && action.operation === 'copy')
  if (!copies || target === undefined || place?.account !== target.account) return false
  if (folder?.capabilities.has('move_out') === true) return false
  return takesAway(target, workshop.accounts.get(target.account), workshop)
}

interface MessageCase {
  readonly action: Action
  readonly place: Place
  readonly folder: FolderPolicy
  readonly target: Place | undefined
  readonly targetFolder: FolderPolicy | undefined
  readonly workshop: Workshop
  readonly allowance: Allowance
}

async function judgeMessage(about: MessageCase): Promise<Judged> {
  const { action, place, folder, workshop, allowance } = about
  const { message } = place
  if (message === undefined) return { decision: allowance, action }
  const hides = (level: Level | undefined): boolean => workshop.sight.conceals && level === 'NONE'
  if (hides(folder.uniform?.level)) throw messageMissing(message.uid)
  if (!mustBeOpened(about, message)) {
    const verdict = folder.uniform ?? { level: folder.default, reason: allowance.reason }
    return { decision: { ...allowance, ...shown(verdict), ...targetOf(about) }, action }
  }
  const opened = await wholeHeader(await openedOrMissing(message, workshop), message, workshop)
  const account = workshop.accounts.get(message.account)
  const verdict = workshop.sight.verdict(account, folder, opened)
  if (hides(verdict.level)) throw messageMissing(message.uid)
  const flags = changedFlags(action, opened.flags)
  const change = { action, account, opened, flags, now: verdict }
  const denied =
    deniedFor(place, verdict) ??
    wouldRise(about, opened, verdict) ??
    (changesMail(action) ? await labelEffects(change, workshop) : undefined)
  if (denied !== undefined) return { decision: denied, action }
  const judged = withStar(await pinned(action, message, opened), about, opened)
  return { decision: { ...allowance, ...shown(verdict), ...targetOf(about, opened) }, action: judged }
}

/** The message under the uidvalidity that it was judged by. */
function pinned(action: Action, message: MessageRef, { uidvalidity }: Opened): Promise<Action> {
  return mapPlaces(action, {
    ...UNCHANGED,
    message: async (ref) => (ref === message ? { ...ref, uidvalidity } : ref),
  })
}

/** One that is too large to be judged is hidden, and where that is concealed it is not there. */
async function openedOrMissing(message: MessageRef, { opened, sight }: Workshop): Promise<Opened> {
  try {
    return await opened(message)
  } catch (error) {
    if (sight.conceals && error instanceof Failure && error.code === 'too_large') throw messageMissing(message.uid)
    throw error
  }
}

/** Of a header that is too long to be read whole, at least the fields that rules look at are. */
async function wholeHeader(opened: Opened, message: MessageRef, { accounts, signal }: Workshop): Promise<Opened> {
  if (!opened.headerCut) return opened
  const at = { mailbox: message.mailbox, uidvalidity: opened.uidvalidity }
  const fields = [...new Set(Object.values(FIELDS_OF).flat())]
  const { source } = accounts.get(message.account)
  const [traits] = await source.traits(at, [message.uid], { fields, structure: false }, signal)
  return traits === undefined ? opened : { ...opened, header: traits.header, headerCut: traits.headerCut }
}

/** Where rules look at messages, or the caller did not say under which uidvalidity it saw this one. */
function mustBeOpened({ action, folder, targetFolder, workshop }: MessageCase, message: MessageRef): boolean {
  if (message.uidvalidity === ANY_UIDVALIDITY || folder.uniform === undefined) return true
  // A change to one label may show under others.
  if (changesMail(action) && workshop.accounts.get(message.account).google !== undefined) return true
  return (
    targetFolder !== undefined &&
    (targetFolder.uniform === undefined || rises(folder.uniform.level, targetFolder.uniform.level))
  )
}

/** A change may be allowed to a message that is hidden: then no rule spoke for it. */
function shown({ level, reason }: Verdict): Pick<Allowance, 'level' | 'reason'> {
  return { level, reason: reason === 'rule_matched' ? reason : 'folder_default_applied' }
}

function targetOf({ target, targetFolder, workshop }: MessageCase, opened?: Opened): Pick<Allowance, 'targetLevel'> {
  if (target === undefined || targetFolder === undefined) return {}
  if (opened === undefined) return { targetLevel: targetFolder.uniform?.level ?? targetFolder.floor }
  return { targetLevel: workshop.sight.verdict(workshop.accounts.get(target.account), targetFolder, opened).level }
}

function wouldRise(about: MessageCase, opened: Opened, now: Verdict): Denial | undefined {
  const later = afterwards(about, opened)
  return later && risingDenied(now.level, later.level)
}

/** One that is carried away later must be then what it was when it was judged. */
function withStar(action: Action, { targetFolder }: MessageCase, { flags }: Opened): Action {
  if (targetFolder?.looksAtFlags !== true || targetFolder.mayRaise) return action
  if (action.kind !== 'copy_message' && action.kind !== 'move_message') return action
  return { ...action, starred: isFlagged(flags) }
}

/** What the message would be to this caller once the change is made; undefined where the change cannot matter. */
function afterwards(
  { action, folder, target, targetFolder, workshop }: MessageCase,
  opened: Opened,
): Verdict | undefined {
  if (target !== undefined && targetFolder !== undefined) {
    if (targetFolder.mayRaise) return undefined
    return workshop.sight.verdict(workshop.accounts.get(target.account), targetFolder, opened)
  }
  if (!folder.looksAtFlags || !changesMail(action) || !('message' in action)) return undefined
  const account = workshop.accounts.get(action.message.account)
  return workshop.sight.verdict(account, folder, opened, changedFlags(action, opened.flags))
}

function changedFlags(action: Action, flags: readonly string[]): readonly string[] {
  if (action.kind === 'update_flags') return flagsAfter(flags, action.add, action.remove)
  if (action.kind !== 'tag_message' && action.kind !== 'change_labels') return flags
  const { add, remove } = action.kind === 'tag_message' ? tagChange(action, flags) : labelFlags(action)
  return flagsAfter(flags, add, remove)
}
