/**
 * A policy in plain words, for the operator who wrote it: never for callers, since it tells what rules look for.
 *
 * INVARIANT: total, and complete. Every predicate, level and capability has its words; the compiler names a new one.
 */

import { CAPABILITIES, type Capability, type FolderDefinition, type Rule } from './folder.ts'
import { isLevel, type Level } from './level.ts'
import { isPattern, type PolicyDefinition } from './policy.ts'
import { isMatch, type Match, namesIn, type PredicateName } from './predicates.ts'
import { type PendingLimit, SEND_DEFAULTS, type SendDefinition } from './sending.ts'
import { sizeWords } from './size.ts'

const SEES: Readonly<Record<Level, string>> = {
  NONE: 'nothing',
  COUNT: 'how much there is',
  METADATA: 'size and flags',
  ENVELOPE: 'sender, recipients, subject and date',
  HEADERS: 'all header fields',
  BODY: 'everything but attachments',
  FULL: 'everything (attachments too)',
}

export const CAPABILITY_WORDS: Readonly<Record<Capability, string>> = {
  mark_seen: 'mark as read',
  mark_tagged: 'tag and flag',
  move_out: 'move mail out',
  accept_incoming: 'put mail in',
  draft_append: 'add drafts',
  delete: 'delete mail',
}

type Wording = { readonly [K in PredicateName]: (value: NonNullable<Match[K]>) => string }

const WHICH: Wording = {
  from: (address) => `whose sender is ${address}`,
  from_domain: (domain) => `whose sender's domain is ${domain}`,
  to: (address) => `addressed to ${address}`,
  to_contains: (text) => `addressed to anyone with "${text.toLowerCase()}" in the address`,
  subject_contains: (text) => `with "${text.toLowerCase()}" in the subject`,
  has_attachment: (wanted) => (wanted ? 'with an attachment' : 'without attachments'),
  newer_than: (seconds) => `newer than ${duration(seconds)}`,
  older_than: (seconds) => `older than ${duration(seconds)}`,
  size_gt: (bytes) => `larger than ${counted(bytes, 'byte')}`,
  size_lt: (bytes) => `smaller than ${counted(bytes, 'byte')}`,
  flagged: (wanted) => (wanted ? 'that is flagged' : 'that is not flagged'),
  authenticated: () => 'whose sender the receiving server vouches for (DMARC)',
}

/** What it shows, on one line. */
export function describeSight({ mode, default: base, rules }: FolderDefinition): string {
  const start = mode === 'whitelist' ? SEES.NONE : levelWords(base)
  const lead = mode === 'whitelist' ? 'except' : 'but'
  const told = rules.map((rule) => describeRule(mode, rule))
  return told.length === 0 ? start : `${start}, ${lead} ${told.join('; ')}`
}

/** One line where that is enough; else the rules below it, one each. */
export function describeFolder(folder: FolderDefinition): string[] {
  const { mode, rules } = folder
  const start = `${nameOf(folder.path)}: sees ${mode === 'whitelist' ? SEES.NONE : levelWords(folder.default)}`
  const lead = mode === 'whitelist' ? 'except' : 'but'
  const may = rightsOf(folder)
  const [only, ...others] = rules
  if (only === undefined) return [`${start}; ${may}`]
  if (others.length === 0) return [`${start}, ${lead} ${describeRule(mode, only)}; ${may}`]
  return [`${start}, ${lead}`, ...rules.map((rule) => `  - ${describeRule(mode, rule)}`), `  and ${may}`]
}

export function describePolicy({ name, concealHidden, accounts, send }: PolicyDefinition): string[] {
  const reached = [...accounts.values()].flat().some(({ capabilities }) => capabilities.some(reachesHidden))
  const counted = `hidden mail is counted, never shown${reached ? ', but what may be changed may be changed in it too' : ''}`
  const hidden = concealHidden ? 'hidden mail is as if it were not there' : counted
  const described = [...accounts].flatMap(([id, folders]) => [
    folders.length === 0 ? `${id}: no folder` : `${id}:`,
    ...folders.flatMap(describeFolder).map((line) => `  ${line}`),
  ])
  return [
    `Policy ${name}: ${hidden}.`,
    ...described,
    'Every other account and folder is hidden.',
    describeSending(send),
  ]
}

const ASKED: Readonly<Record<SendDefinition['approval'], string>> = {
  always: 'a person is asked about every letter',
  flow: 'a letter leaves unasked only to those who could read all that the caller has read within a day',
  never: 'letters leave without anybody being asked',
  forbidden: 'nothing is ever sent',
}

/** Where nothing is said, everything is asked about. */
function describeSending(send: SendDefinition | undefined): string {
  const { approval, trusted, requireDigest, elicitation, pendingLimit } = send ?? SEND_DEFAULTS
  const more = [
    ...(approval === 'flow' && trusted.length > 0 ? [`or to ${trusted.join(', ')}`] : []),
    ...(requireDigest ? [] : ['approval files written by hand count, whatever the message says']),
    ...(elicitation === 'sufficient' ? ["a yes in the agent's own program counts"] : []),
    ...(isUsual(pendingLimit) ? [] : [`at most ${pendingWords(pendingLimit)} may wait to be sent`]),
  ]
  return `Sending, with the tool set outbox: ${[ASKED[approval], ...more].join('; ')}.`
}

function isUsual({ messages, bytes }: PendingLimit): boolean {
  const { pendingLimit: usual } = SEND_DEFAULTS
  return messages === usual.messages && bytes === usual.bytes
}

/** `5 messages with 1 MB`. */
export function pendingWords({ messages, bytes }: PendingLimit): string {
  return `${counted(messages, 'message')} with ${sizeWords(bytes)}`
}

/** `everything (attachments too) of mail whose sender's domain is example.com`. */
export function describeRule(mode: FolderDefinition['mode'], { match, level }: Rule): string {
  if (!isMatch(match) || !isLevel(level)) return 'a rule that makes no sense, so that all mail is hidden'
  const most = mode === 'whitelist' || level === 'NONE' ? '' : 'at most '
  return `${most}${levelWords(level)} of ${mailWords(match)}`
}

function mailWords(match: Match): string {
  const which = namesIn(match).map((name) => (WHICH[name] as (value: unknown) => string)(match[name]))
  return which.length === 0 ? 'all mail' : `mail ${which.join(' and ')}`
}

function levelWords(level: Level): string {
  return SEES[level] ?? SEES.NONE
}

function rightsOf({ capabilities, mayRaise = false }: FolderDefinition): string {
  const rights = CAPABILITIES.filter((capability) => capabilities.includes(capability)).map(
    (right) => `may ${CAPABILITY_WORDS[right]}`,
  )
  const raised = mayRaise ? ['mail put in may become more visible than it was'] : []
  return rights.length + raised.length === 0 ? 'may change nothing' : [...rights, ...raised].join(', ')
}

/** A change needs its capability and no level, so it does not stop at mail that is hidden. */
function reachesHidden(capability: Capability): boolean {
  return capability === 'mark_seen' || capability === 'mark_tagged' || capability === 'move_out'
}

function nameOf(path: string): string {
  if (!isPattern(path)) return path
  const all = path.endsWith('**')
  const above = path.replace(/\/?\*\*?$/, '')
  if (above === '') return `${path} (${all ? 'every folder' : 'every folder at the top'})`
  return `${path} (${all ? 'every folder below' : 'every folder directly in'} ${above})`
}

const UNITS = [
  [31_536_000, 'year'],
  [604_800, 'week'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
] as const

/** In the largest unit that leaves no rest. */
function duration(seconds: number): string {
  const [size, unit] = UNITS.find(([length]) => seconds > 0 && seconds % length === 0) ?? [1, 'second']
  return counted(seconds / size, unit)
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
