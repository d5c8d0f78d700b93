/**
 * Takes out of a result what lies above the level a caller was granted.
 *
 * INVARIANT: a result at one level is a field-wise subset of the same result at the next. Rows of a listing are each cut
 * to the level of their own message; one that shows not even its uid is no row. Nothing is shown by default: every kind of action has
 * a redactor, and every field of what it says about mail has a level. The compiler names the kind or the field that is missing.
 */
import type { ActionKind, ResultOf } from '../action.ts'
import type { UncertainChoice, WarningKind } from '../content.ts'
import { atLeast, type Level } from '../policy/level.ts'
import type {
  AttachmentContent,
  BrowsedMessage,
  FlagsChange,
  FoundMessage,
  LabelsChange,
  ListedMessage,
  MessageView,
  Relocation,
  Results,
} from '../results.ts'
import type { Allowance } from './decide.ts'

const SHOWN_FROM = {
  flags: 'METADATA',
  size: 'METADATA',
  date: 'ENVELOPE',
  from: 'ENVELOPE',
  to: 'ENVELOPE',
  cc: 'ENVELOPE',
  subject: 'ENVELOPE',
  messageId: 'ENVELOPE',
  header: 'HEADERS',
  text: 'BODY',
  html: 'BODY',
  snippet: 'BODY',
  hasAttachment: 'FULL',
  attachments: 'FULL',
} as const satisfies Record<string, Level>

type Field = keyof typeof SHOWN_FROM

const FIELDS = Object.keys(SHOWN_FROM) as Field[]

export interface Redacted<K extends ActionKind> {
  readonly result: ResultOf<K>
  /** The fields that a result of this kind has and this caller does not see, in some row of it at least. */
  readonly redacted: readonly string[]
}

/** The level from which a field is shown, and what stands in its place below, where that is not `undefined`. */
type Rule<V> = Level | { readonly from: Level; readonly empty: V }
type Rules<T> = { readonly [F in keyof T]-?: Rule<T[F]> }

/** Says nothing of the message. */
const ALWAYS = 'NONE'

const LISTED: Rules<ListedMessage> = {
  // There is no row below METADATA.
  level: ALWAYS,
  uid: ALWAYS,
  flags: SHOWN_FROM.flags,
  size: SHOWN_FROM.size,
  date: SHOWN_FROM.date,
  from: SHOWN_FROM.from,
  subject: SHOWN_FROM.subject,
  snippet: SHOWN_FROM.snippet,
}

const FOUND: Rules<FoundMessage> = { ...LISTED, ref: ALWAYS, nativeId: ALWAYS, threadId: 'METADATA' }

const BROWSED: Rules<BrowsedMessage> = {
  level: ALWAYS,
  uid: ALWAYS,
  flags: SHOWN_FROM.flags,
  size: SHOWN_FROM.size,
  date: SHOWN_FROM.date,
  from: SHOWN_FROM.from,
  to: SHOWN_FROM.to,
  subject: SHOWN_FROM.subject,
  hasAttachment: SHOWN_FROM.hasAttachment,
}

const VIEW: Rules<MessageView> = {
  // It is made of the messages that this one refers to.
  threadId: SHOWN_FROM.header,
  date: SHOWN_FROM.date,
  size: SHOWN_FROM.size,
  flags: SHOWN_FROM.flags,
  from: SHOWN_FROM.from,
  to: SHOWN_FROM.to,
  cc: SHOWN_FROM.cc,
  subject: SHOWN_FROM.subject,
  messageId: SHOWN_FROM.messageId,
  header: { from: SHOWN_FROM.header, empty: [] },
  text: SHOWN_FROM.text,
  textTruncated: { from: SHOWN_FROM.text, empty: false },
  html: SHOWN_FROM.html,
  htmlTruncated: { from: SHOWN_FROM.html, empty: false },
  // As the body that it belongs to.
  uncertain: SHOWN_FROM.text,
  attachments: { from: SHOWN_FROM.attachments, empty: [] },
  // Each by its own level.
  warnings: ALWAYS,
  // They are about reading the body.
  issues: { from: SHOWN_FROM.text, empty: [] },
}

const ATTACHMENT: Rules<AttachmentContent> = {
  part: 'FULL',
  type: 'FULL',
  filename: 'FULL',
  size: 'FULL',
  digest: 'FULL',
  bytes: { from: 'FULL', empty: new Uint8Array() },
  savedTo: 'FULL',
  isTemporary: 'FULL',
  text: 'FULL',
  textTruncated: 'FULL',
  uncertain: 'FULL',
  warnings: 'FULL',
  image: 'FULL',
}

const RAW: Rules<Results['read_raw']> = {
  size: SHOWN_FROM.size,
  bytes: { from: 'FULL', empty: new Uint8Array() },
}

const FLAGS: Rules<FlagsChange> = { flags: SHOWN_FROM.flags, added: ALWAYS, removed: ALWAYS, issues: ALWAYS }

const LABELS: Rules<LabelsChange> = {
  labels: SHOWN_FROM.flags,
  added: ALWAYS,
  removed: ALWAYS,
  // Folders that the caller knows of.
  folders: ALWAYS,
  issues: ALWAYS,
}

type Redactor<K extends ActionKind> = (
  result: ResultOf<K>,
  allowance: Allowance,
  uncertain: UncertainChoice,
) => Redacted<K>

/** Listings are written out field by field: a new one is not shown until it is added here. */
const REDACTORS: { readonly [K in ActionKind]: Redactor<K> } = {
  list_accounts: nothingOfMail,
  verify_account: nothingOfMail,
  list_mailboxes: nothingOfMail,
  list_folders: nothingOfMail,
  list_labels: nothingOfMail,
  folder_stats: nothingOfMail,
  describe_policy: nothingOfMail,
  identify_caller: nothingOfMail,
  // The caller's own transfer: the Message-ID is in it only if the caller could read it then.
  transaction_status: nothingOfMail,
  // What the caller wrote itself.
  create_draft: nothingOfMail,
  compose_draft: nothingOfMail,
  send_mail: nothingOfMail,
  search: ({ uidvalidity, total, filteredOut, attempted, issues, nextCursor, resendCriteria, messages }) => {
    const { shown, redacted } = rows(messages, LISTED)
    const counts = { uidvalidity, total, filteredOut, attempted }
    return { result: { ...counts, messages: shown, issues, nextCursor, resendCriteria }, redacted }
  },
  browse: ({ uidvalidity, total, visible, more, messages, identities, coverage }) => {
    const { shown, redacted } = rows(messages, BROWSED)
    const uids = new Set(shown.map(({ uid }) => uid))
    const its = { messages: shown, identities: identities?.filter(({ uid }) => uids.has(uid)) }
    return { result: { uidvalidity, total, visible, more, ...its, ...(coverage && { coverage }) }, redacted }
  },
  find_mail: ({ total, messages, more, coverage }) => {
    const { shown, redacted } = rows(messages, FOUND)
    return { result: { total, messages: shown, more, coverage }, redacted }
  },
  read_message: (view, { level }, choice) => {
    const attachments = view.attachments.map((attachment) => withUncertain(attachment, choice))
    const shown = { ...withUncertain(view, choice), attachments, warnings: warningsAt(view, level) }
    return cut(shown, VIEW, level)
  },
  read_raw: (raw, { level }) => cut(raw, RAW, level),
  read_attachment: (attachment, { level }, choice) => cut(withUncertain(attachment, choice), ATTACHMENT, level),
  update_flags: (change, { level }) => cut(change, FLAGS, level),
  mark_seen: (change, { level }) => cut(change, FLAGS, level),
  tag_message: (change, { level }) => cut(change, FLAGS, level),
  change_labels: (change, { level }) => cut(change, LABELS, level),
  mark_many: ({ uidvalidity, endings }) => {
    const cuts = endings.map(({ uid, level, denied, change }) => {
      const marked = change && cut(change, FLAGS, level)
      const ending = { uid, level, ...(denied && { denied }), ...(marked && { change: marked.result }) }
      return { ending, redacted: marked?.redacted ?? [] }
    })
    const redacted = new Set(cuts.flatMap((one) => one.redacted))
    return { result: { uidvalidity, endings: cuts.map(({ ending }) => ending) }, redacted: [...redacted] }
  },
  copy_message: (relocation, { targetLevel }) => relocated(relocation, targetLevel),
  move_message: (relocation, { targetLevel }) => relocated(relocation, targetLevel),
  delete_message: (relocation, { targetLevel }) => relocated(relocation, targetLevel),
  relocate_many: ({ uidvalidity, endings }, { targetLevel }) => {
    const cuts = endings.map(({ uid, denied, relocation }) => ({
      uid,
      ...(denied && { denied }),
      ...(relocation && { relocation: relocated(relocation, targetLevel).result }),
    }))
    return { result: { uidvalidity, endings: cuts }, redacted: [] }
  },
}

/** `uncertain` is what the caller is given of uncertain text, which is counted either way. */
export function redact<K extends ActionKind>(
  kind: K,
  result: ResultOf<K>,
  allowance: Allowance,
  uncertain: UncertainChoice = 'mark',
): Redacted<K> {
  return REDACTORS[kind](result, allowance, uncertain)
}

function withUncertain<T extends Pick<MessageView, 'uncertain'>>(shown: T, choice: UncertainChoice): T {
  return choice === 'mark' || shown.uncertain === undefined ? shown : { ...shown, uncertain: undefined }
}

/** The fields above a level, of all that results have. */
export function fieldsAbove(level: Level): readonly Field[] {
  return FIELDS.filter((field) => !atLeast(level, SHOWN_FROM[field]))
}

interface Cut<T> {
  readonly result: T
  readonly redacted: readonly string[]
}

/** For results that hold nothing of any message that the caller did not write. */
function nothingOfMail<T>(result: T): Cut<T> {
  return { result, redacted: [] }
}

function rows<R extends { readonly level: Level }>(
  messages: readonly R[],
  rules: Rules<R>,
): { readonly shown: readonly R[]; readonly redacted: readonly string[] } {
  const cuts = messages.filter(({ level }) => atLeast(level, 'METADATA')).map((row) => cut(row, rules, row.level))
  const redacted = new Set(cuts.flatMap((row) => row.redacted))
  return { shown: cuts.map(({ result }) => result), redacted: FIELDS.filter((field) => redacted.has(field)) }
}

/** Fields without a rule cannot be written down; one that got here all the same is not shown. */
function cut<T extends object>(value: T, rules: Rules<T>, level: Level): Cut<T> {
  const ruled = new Map<string, Rule<unknown>>(Object.entries(rules))
  const hidden = new Map<string, unknown>()
  for (const name of Object.keys(value)) {
    const rule = ruled.get(name)
    const { from, empty } = typeof rule === 'object' ? rule : { from: rule, empty: undefined }
    if (from === undefined || !atLeast(level, from)) hidden.set(name, empty)
  }
  if (hidden.size === 0) return { result: value, redacted: [] }
  const result = { ...value, ...Object.fromEntries(hidden) }
  return { result, redacted: FIELDS.filter((field) => hidden.has(field)) }
}

function warningsAt({ warnings }: MessageView, level: Level): MessageView['warnings'] {
  return warnings.filter(({ kind }) => atLeast(level, WARNED_FROM[kind] ?? 'BODY'))
}

/** The others are about what a body holds. */
const WARNED_FROM: { readonly [K in WarningKind]?: Level } = {
  sender_suspicious: 'ENVELOPE',
  reply_to_differs: 'HEADERS',
  duplicate_header: 'HEADERS',
}

/** A caller that cannot see the message where it went is not told which one it is there. */
function relocated(relocation: Relocation, targetLevel: Level = 'NONE'): Cut<Relocation> {
  if (relocation.created === undefined || atLeast(targetLevel, 'METADATA')) return { result: relocation, redacted: [] }
  return { result: { ...relocation, created: undefined }, redacted: ['created'] }
}
