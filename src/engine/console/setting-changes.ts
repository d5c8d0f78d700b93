/**
 * What differs between two configurations of a caller, setting by setting, in words.
 *
 * INVARIANT: complete. Whatever field of a policy, a folder or a caller differs is a change: one that has no words here yet is
 * shown under its own name. Needs no server. The most dangerous change comes first.
 */
import { canonicalJson } from '../../core/audit/chain.ts'
import { type Capability, compileFolder, type FolderDefinition, type FolderPolicy } from '../../core/policy/folder.ts'
import { CAPABILITY_WORDS, describeSight, pendingWords } from '../../core/policy/in-words.ts'
import { LEVELS } from '../../core/policy/level.ts'
import { isPattern, normalPath } from '../../core/policy/policy.ts'
import { SEND_DEFAULTS, type SendDefinition } from '../../core/policy/sending.ts'
import type { CallerSettings, KnownCaller } from './access.ts'

export interface SettingChange {
  readonly caller: string
  /** Where the setting is one of a folder; `mailbox` is its path as the policy writes it. */
  readonly account?: string
  readonly mailbox?: string
  readonly setting: string
  readonly before: string
  readonly after: string
  /** Whether the agent may do or see more, or less; `other` where neither can be said. */
  readonly effect: Effect
  /** Why nobody should overlook it. */
  readonly danger?: string
}

type Effect = 'more' | 'less' | 'other'

/** How one setting is told. */
interface Wording<T> {
  readonly setting: string
  words?(value: T): string
  /** The larger, the more the agent may. */
  rank?(value: T): number
  danger?(value: T): string | undefined
}
type Wordings<T> = { readonly [K in keyof T]?: Wording<T[K]> }

const APPROVALS: Readonly<Record<SendDefinition['approval'], readonly [rank: number, words: string]>> = {
  forbidden: [0, 'nothing may be sent'],
  always: [1, 'every message needs approval'],
  flow: [2, 'messages need approval unless every recipient could already read what the agent has read'],
  never: [3, 'messages are sent without approval'],
}
const UNASKED =
  'Messages would be sent without anyone approving them: one email that misleads the agent can make it send out whatever it can read.'
const BY_AGENT = "An approval given in the agent's own program would count as a person's approval."

const SEND: Wordings<SendDefinition> = {
  approval: {
    setting: 'Sending',
    words: (approval) => APPROVALS[approval][1],
    rank: (approval) => APPROVALS[approval][0],
    danger: (approval) => (approval === 'never' ? UNASKED : undefined),
  },
  trusted: { setting: 'Trusted recipients' },
  requireDigest: {
    setting: 'Approvals',
    words: (required) => (required ? 'only for the exact message shown' : 'also from files without a digest'),
    rank: (required) => (required ? 0 : 1),
  },
  elicitation: {
    setting: "Approval in the agent's program",
    words: (elicitation) => (elicitation === 'sufficient' ? 'sufficient' : 'only notifies'),
    rank: (elicitation) => (elicitation === 'sufficient' ? 1 : 0),
    danger: (elicitation) => (elicitation === 'sufficient' ? BY_AGENT : undefined),
  },
  pendingLimit: { setting: 'Limit of pending messages', words: pendingWords },
}

interface PolicySettings {
  readonly concealHidden: boolean
}
const POLICY: Wordings<PolicySettings> = {
  concealHidden: {
    setting: 'Hidden mail',
    words: (concealed) => (concealed ? 'concealed, not even counted' : 'counted, never shown'),
    rank: (concealed) => (concealed ? 0 : 1),
  },
}

const limit = (setting: string): Wording<number | undefined> => ({
  setting,
  words: (most) => (most === undefined ? 'no limit' : String(most)),
  rank: (most) => most ?? Number.POSITIVE_INFINITY,
})
const LIMITS: Wordings<NonNullable<CallerSettings['limits']>> = {
  perMinute: limit('Calls per minute'),
  perHour: limit('Calls per hour'),
}

const CALLER: Wordings<CallerSettings & { readonly toolsets: readonly string[] }> = {
  toolsets: { setting: 'Tool sets' },
  hideDeniedTools: { setting: 'Tools the policy never allows', words: (hidden) => (hidden ? 'not listed' : 'listed') },
  uncertain: {
    setting: 'Text a person may not see',
    words: (uncertain) => (uncertain === 'omit' ? 'only counted' : 'shown apart from the body'),
    rank: (uncertain) => (uncertain === 'omit' ? 0 : 1),
  },
  auth: { setting: 'Authentication', words: (auth) => (auth === 'shared_token' ? 'bearer token' : 'local process') },
}

/** Either may be absent: a caller that is new, or one that is removed. */
export function settingChanges(
  before: KnownCaller | undefined,
  after: KnownCaller | undefined,
): readonly SettingChange[] {
  if (before === undefined || after === undefined) return arrival(before, after)
  const of = (change: Untold): SettingChange => ({ caller: after.id, ...change })
  const [now, then] = [before, after].map(
    ({ definition: { name: _, accounts: __, send: ___, ...rest } = NO_POLICY }) => rest,
  )
  const changes: readonly SettingChange[] = [
    ...differing(sendOf(before), sendOf(after), SEND).map(of),
    ...differing(now ?? {}, then ?? {}, POLICY as Wordings<object>).map(of),
    ...differing({ policy: before.policy.name }, { policy: after.policy.name }, { policy: { setting: 'Policy' } }).map(
      of,
    ),
    ...callerChanges(before, after).map(of),
    ...accountsOf(before, after).flatMap((account) => folderChanges(account, before, after).map(of)),
  ]
  return changes.toSorted((a, b) => loudness(a) - loudness(b))
}

type Untold = Omit<SettingChange, 'caller'>
const NO_POLICY = {
  name: '',
  accounts: new Map<string, readonly FolderDefinition[]>(),
  concealHidden: false,
  send: undefined,
}

function arrival(before: KnownCaller | undefined, after: KnownCaller | undefined): readonly SettingChange[] {
  const words = (caller: KnownCaller | undefined): string =>
    caller === undefined ? 'does not exist' : `may connect, with policy ${caller.policy.name}`
  const caller = after?.id ?? before?.id
  if (caller === undefined) return []
  const approval = after && sendOf(after).approval
  const danger = approval === 'never' ? { danger: UNASKED } : {}
  const effect = after === undefined ? 'less' : 'more'
  return [{ caller, setting: 'Caller', before: words(before), after: words(after), effect, ...danger }]
}

function callerChanges(before: KnownCaller, after: KnownCaller): readonly Untold[] {
  const [{ limits: old = {}, ...now }, { limits = {}, ...then }] = [before.settings ?? {}, after.settings ?? {}]
  const [was, is] = [
    { ...now, toolsets: before.toolsets },
    { ...then, toolsets: after.toolsets },
  ]
  return [...differing(old, limits, LIMITS), ...differing(was, is, CALLER)]
}

function sendOf({ definition, send }: KnownCaller): SendDefinition {
  return definition?.send ?? { ...SEND_DEFAULTS, ...send }
}

/** Every field in which the two differ, whether it has words or not. */
function differing<T extends object>(before: T, after: T, wordings: Wordings<T>): readonly Untold[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof T & string)[]
  return keys.flatMap((key) => {
    const [was, is] = [before[key], after[key]]
    if (canonicalJson(was ?? null) === canonicalJson(is ?? null)) return []
    // A group of settings that is new here: each of them is told.
    if (wordings[key] === undefined && isGroup(was ?? is)) return differing(Object(was ?? {}), Object(is ?? {}), {})
    const wording: Wording<T[typeof key]> = wordings[key] ?? { setting: nameOf(key) }
    const words = wording.words ?? plain
    const danger = wording.danger?.(is)
    const effect = wording.rank === undefined ? grown(was, is) : compared(wording.rank(was), wording.rank(is))
    return [{ setting: wording.setting, before: words(was), after: words(is), effect, ...(danger && { danger }) }]
  })
}

function isGroup(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `pendingLimit` is read as "Pending limit". */
function nameOf(key: string): string {
  const words = key.replaceAll(/([A-Z])/g, ' $1').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plain).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === undefined || value === null) return 'not set'
  return typeof value === 'object' ? canonicalJson(value) : String(value)
}

function compared(before: number, after: number): Effect {
  return after > before ? 'more' : after < before ? 'less' : 'other'
}

/** Lists of what is allowed: more where something was added and nothing removed. */
function grown(before: unknown, after: unknown): Effect {
  if (!Array.isArray(before) || !Array.isArray(after)) return 'other'
  const [gained, lost] = [after.some((one) => !before.includes(one)), before.some((one) => !after.includes(one))]
  return gained === lost ? 'other' : gained ? 'more' : 'less'
}

function accountsOf(...callers: readonly KnownCaller[]): readonly string[] {
  return [...new Set(callers.flatMap(({ definition }) => [...(definition?.accounts.keys() ?? [])]))]
}

/** Each path that one of the two writes, as both judge a folder there. */
function folderChanges(account: string, before: KnownCaller, after: KnownCaller): readonly Untold[] {
  const written = [before, after].flatMap(({ definition }) => definition?.accounts.get(account) ?? [])
  const paths = new Map(written.map(({ path }) => [normalPath(path), path]))
  const whole = [before, after].map(({ policy }) => policy.sees(account))
  const seen: readonly Untold[] =
    whole[0] === whole[1] || paths.size > 0
      ? []
      : [{ account, setting: 'Account', before: seesWords(whole[0]), after: seesWords(whole[1]), effect: 'other' }]
  return [
    ...seen,
    ...[...paths.values()].flatMap((path) => {
      const [now, then] = [before, after].map(({ policy }) => policy.folder(account, sampleOf(path))) as [
        FolderPolicy,
        FolderPolicy,
      ]
      return folderDifference(now, then).map((change) => ({ account, mailbox: path, ...change }))
    }),
  ]
}

function seesWords(seen: boolean | undefined): string {
  return seen === true ? 'named, without folders' : 'hidden'
}

/** A folder that only the pattern stands for. */
function sampleOf(path: string): string {
  return isPattern(path) ? path.replace(/\*\*?$/, '\u{f8ff}any') : path
}

function folderDifference(now: FolderPolicy, then: FolderPolicy): readonly Untold[] {
  const [was, is] = [now, then].map(({ named, definition }) => (named ? definition : HIDDEN)) as [
    FolderDefinition,
    FolderDefinition,
  ]
  const { path: _, mode, default: base, rules, capabilities: had, ...before } = { mayRaise: false, ...was }
  const {
    path: __,
    mode: newMode,
    default: newBase,
    rules: newRules,
    capabilities: has,
    ...after
  } = { mayRaise: false, ...is }
  const isSameSight = canonicalJson([mode, base, rules]) === canonicalJson([newMode, newBase, newRules])
  const listed = now.named === then.named || !isSameSight ? [] : [listing(then.named)]
  return [
    ...listed,
    ...(isSameSight
      ? []
      : [
          {
            setting: 'Visibility',
            before: describeSight(was),
            after: describeSight(is),
            effect: sightEffect(now, then),
          },
        ]),
    ...differing({ capabilities: sorted(had) }, { capabilities: sorted(has) }, CAPABILITIES_TOLD),
    ...differing<{ mayRaise: boolean }>(before, after, FOLDER),
  ]
}

function listing(named: boolean): Untold {
  const words = ['hidden', 'listed']
  const [before = '', after = ''] = named ? words : words.toReversed()
  return { setting: 'Folder', before, after, effect: named ? 'more' : 'less' }
}

const HIDDEN: FolderDefinition = { path: '', mode: 'whitelist', default: 'NONE', rules: [], capabilities: [] }

const FOLDER: Wordings<{ mayRaise: boolean }> = {
  mayRaise: { setting: 'Mail put in may become more visible', rank: Number },
}
const CAPABILITIES_TOLD: Wordings<{ capabilities: readonly Capability[] }> = {
  capabilities: {
    setting: 'Changes allowed',
    words: (all) => (all.length === 0 ? 'none' : all.map((one) => CAPABILITY_WORDS[one]).join(', ')),
  },
}

function sorted(capabilities: readonly Capability[]): readonly Capability[] {
  return [...compileFolder({ ...HIDDEN, capabilities }).capabilities]
}

/** Where both show all messages alike; rules are judged on real mail, beside this. */
function sightEffect(now: FolderPolicy, then: FolderPolicy): Effect {
  if (now.uniform === undefined || then.uniform === undefined) return 'other'
  return compared(LEVELS.indexOf(now.uniform.level), LEVELS.indexOf(then.uniform.level))
}

const LOUDNESS: Readonly<Record<Effect, number>> = { more: 1, other: 2, less: 3 }
function loudness({ danger, effect, setting }: SettingChange): number {
  if (danger !== undefined) return setting === 'Sending' || setting === 'Caller' ? -1 : 0
  return LOUDNESS[effect]
}
