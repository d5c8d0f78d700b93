import { expect, test } from 'vitest'
import type { Action } from '../action.ts'
import { CAPABILITIES, type Capability, type FolderDefinition } from '../policy/folder.ts'
import type { Level } from '../policy/level.ts'
import { nothingAllowed, ownerPolicy, type Policy, policyFrom } from '../policy/policy.ts'
import { decide, deniedFor, hiddenAccount } from './decide.ts'
import { changesMail, needsOf, type Place } from './needs.ts'

const message = { account: 'work', mailbox: 'INBOX', uidvalidity: 1, uid: 1 }
const to = { account: 'home', mailbox: 'Archive' }
const pathOf = ({ mailbox }: Place): string => mailbox

const search: Action = {
  kind: 'search',
  account: 'work',
  mailbox: 'INBOX',
  criteria: {},
  cursor: undefined,
  limit: 1,
  snippetChars: undefined,
}
const read: Action = {
  kind: 'read_message',
  message,
  needs: 'ENVELOPE',
  depth: 'FULL',
  bodyChars: 100,
  html: false,
  attachmentChars: undefined,
}
const browse: Action = {
  kind: 'browse',
  account: 'work',
  mailbox: 'INBOX',
  match: {},
  query: undefined,
  limit: 1,
  offset: 0,
  show: 'rows',
}
const stats: Action = { kind: 'folder_stats', account: 'work', mailbox: 'INBOX' }
const raw: Action = { kind: 'read_raw', message, maxBytes: 1024 }

const NOWHERE: Action[] = [
  { kind: 'list_accounts' },
  { kind: 'describe_policy' },
  { kind: 'identify_caller' },
  { kind: 'transaction_status', transaction: 't' },
]
const READS: Action[] = [
  { kind: 'verify_account', account: 'work' },
  { kind: 'list_mailboxes', account: 'work' },
  { kind: 'list_folders', account: 'work' },
  { kind: 'list_labels', account: 'work' },
  stats,
  search,
  browse,
  read,
  raw,
  { kind: 'read_attachment', message, part: '2', inlineBytes: undefined },
]
const tag = (...tags: string[]): Action => ({ kind: 'tag_message', message, tags, mode: 'add' })
const WRITES: Action[] = [
  { kind: 'update_flags', message, add: ['\\Seen'], remove: [] },
  { kind: 'mark_seen', message, seen: true },
  tag('work'),
  { kind: 'copy_message', message, to, blind: false },
  { kind: 'move_message', message, to, blind: true },
  { kind: 'delete_message', message },
  { kind: 'create_draft', account: 'work', mailbox: 'INBOX', bytes: new Uint8Array() },
]

function inbox(level: Level, capabilities: Capability[] = []): FolderDefinition {
  return { path: 'INBOX', mode: 'blacklist', default: level, rules: [], capabilities }
}

function policy(...folders: FolderDefinition[]): Policy {
  const archive: FolderDefinition = { ...inbox('COUNT', ['accept_incoming']), path: 'Archive' }
  const accounts = new Map([
    ['work', folders],
    ['home', [archive]],
  ])
  return policyFrom({ name: 'test', concealHidden: false, accounts })
}

test.each([...NOWHERE, ...READS])('an owner may $kind', (action) => {
  expect(decide(ownerPolicy(false), action, pathOf)).toEqual({
    kind: 'allow',
    reason: 'folder_default_applied',
    level: 'FULL',
  })
  expect(changesMail(action)).toBe(false)
})

test.each(WRITES)('an owner may $kind only with the write gate open', (action) => {
  expect(decide(ownerPolicy(false), action, pathOf)).toMatchObject({
    kind: 'deny',
    reason: 'capability_missing',
    remedy: 'set MAIL_IMAP_WRITE_ENABLED=true and restart to allow changes',
  })
  expect(decide(ownerPolicy(true), action, pathOf)).toMatchObject({ kind: 'allow' })
  expect(changesMail(action)).toBe(true)
})

test.each([...READS, ...WRITES])('$kind on an account that is not named is refused as hidden', (action) => {
  expect(decide(nothingAllowed, action, pathOf)).toEqual({ kind: 'deny', reason: 'account_hidden', account: 'work' })
})

test.each(NOWHERE)('whoever may see nothing may still $kind', (action) => {
  expect(decide(nothingAllowed, action, pathOf).kind).toBe('allow')
})

test('a target in a hidden account is refused as hidden, and named', () => {
  const work = new Map([['work', [inbox('FULL', ['move_out'])]]])
  const only = policyFrom({ name: 'test', concealHidden: false, accounts: work })
  const move: Action = { kind: 'move_message', message, to, blind: true }
  expect(hiddenAccount(only, needsOf(move))).toEqual({ kind: 'deny', reason: 'account_hidden', account: 'home' })
})

test.each([stats, search, browse, read, ...WRITES])(
  '$kind in a folder that is not named is refused as hidden',
  (action) => {
    expect(decide(policy({ ...inbox('FULL'), path: 'Other' }), action, pathOf)).toEqual({
      kind: 'deny',
      reason: 'folder_hidden',
    })
  },
)

test('a target folder that is not named is refused as hidden', () => {
  const action: Action = { kind: 'copy_message', message, to: { ...to, mailbox: 'Elsewhere' }, blind: true }
  expect(decide(policy(inbox('FULL')), action, pathOf)).toEqual({ kind: 'deny', reason: 'folder_hidden' })
})

test('the path that is judged is the one that was found for the name', () => {
  const named = policy({ ...inbox('FULL'), path: 'INBOX/Invoices' })
  const action: Action = { ...stats, mailbox: 'INBOX.Invoices' }
  expect(decide(named, action, pathOf).kind).toBe('deny')
  expect(decide(named, action, ({ mailbox }) => mailbox.replaceAll('.', '/')).kind).toBe('allow')
})

test.each<[Level, string, Action]>([
  ['NONE', 'visibility_below_COUNT', stats],
  ['NONE', 'visibility_below_METADATA', search],
  ['COUNT', 'visibility_below_METADATA', search],
  ['COUNT', 'visibility_below_METADATA', browse],
  ['COUNT', 'visibility_below_ENVELOPE', read],
  ['METADATA', 'visibility_below_ENVELOPE', read],
  ['NONE', 'sender_blacklisted', read],
  ['BODY', 'visibility_below_FULL', raw],
])('where every message shows %s the refusal is %s', (level, reason, action) => {
  expect(decide(policy(inbox(level)), action, pathOf)).toMatchObject({ kind: 'deny', reason })
})

test('an empty whitelist refuses for the sake of the sender', () => {
  const empty = policy({ ...inbox('NONE'), mode: 'whitelist' })
  expect(decide(empty, read, pathOf)).toMatchObject({ kind: 'deny', reason: 'sender_not_whitelisted' })
  expect(decide(empty, search, pathOf)).toEqual({ kind: 'deny', reason: 'visibility_below_METADATA' })
})

test('where rules look at messages the folder is judged by the most it could show, one message only later', () => {
  const grants = (level: Level): Policy =>
    policy({ ...inbox('NONE'), mode: 'whitelist', rules: [{ match: { from_domain: 'a.example' }, level }] })
  expect(decide(grants('ENVELOPE'), search, pathOf)).toMatchObject({ kind: 'allow', level: 'ENVELOPE' })
  expect(decide(grants('COUNT'), search, pathOf)).toMatchObject({ reason: 'visibility_below_METADATA' })
  expect(decide(grants('COUNT'), raw, pathOf).kind).toBe('allow')
})

test.each<[Level, Level, string | undefined]>([
  ['BODY', 'FULL', undefined],
  ['BODY', 'BODY', undefined],
  ['BODY', 'HEADERS', 'visibility_below_BODY'],
  ['BODY', 'COUNT', 'visibility_below_BODY'],
  ['COUNT', 'NONE', 'sender_not_whitelisted'],
  ['NONE', 'NONE', undefined],
])('an action that needs %s of a message that shows %s: %s', (needed, level, reason) => {
  const place: Place = { account: 'work', mailbox: 'INBOX', level: needed, capabilities: [], message }
  const denial = deniedFor(place, { level, reason: 'sender_not_whitelisted' })
  expect(denial?.reason).toBe(reason)
  expect(denial?.uid).toBe(reason === undefined ? undefined : message.uid)
})

test('what is allowed is shown at the folder ceiling, not above', () => {
  expect(decide(policy(inbox('HEADERS')), read, pathOf)).toMatchObject({ kind: 'allow', level: 'HEADERS' })
})

test.each<[string, Capability[], Action | undefined]>([
  ['mark_seen', ['mark_seen'], WRITES[1]],
  ['tag_message', ['mark_tagged'], WRITES[2]],
  ['copy_message', [], WRITES[3]],
  ['move_message', ['move_out'], WRITES[4]],
  ['delete_message', ['delete'], WRITES[5]],
  ['create_draft', ['draft_append'], WRITES[6]],
])('%s needs %j of its folder and nothing else', (_kind, needed, action = WRITES[0] as Action) => {
  expect(decide(policy(inbox('COUNT', needed)), action, pathOf).kind).toBe('allow')
  for (const missing of needed) {
    const others = CAPABILITIES.filter((capability) => capability !== missing)
    expect(decide(policy(inbox('FULL', others)), action, pathOf)).toEqual({
      kind: 'deny',
      reason: 'capability_missing',
      missing,
      remedy: 'whoever runs this server would have to allow it in its configuration',
    })
  }
})

test('copy and move need a target that accepts mail', () => {
  const closed = policyFrom({
    name: 'test',
    concealHidden: false,
    accounts: new Map([
      ['work', [inbox('FULL', ['move_out'])]],
      ['home', [{ ...inbox('FULL'), path: 'Archive' }]],
    ]),
  })
  for (const action of [WRITES[3], WRITES[4]] as Action[]) {
    expect(decide(closed, action, pathOf)).toMatchObject({ kind: 'deny', missing: 'accept_incoming' })
  }
})

test.each(['\\Seen', '\\DELETED', '\\draft', '\\Recent', '\\Answered', 'x \\Seen', '\\Flagged \\Seen', '\\Flagged\\'])(
  'the tag %j is a forbidden system flag',
  (forbidden) => {
    const may = policy(inbox('FULL', ['mark_tagged']))
    expect(decide(may, tag('fine', forbidden), pathOf)).toEqual({ kind: 'deny', reason: 'forbidden_system_flag' })
    expect(decide(may, tag('fine', '\\FLAGGED'), pathOf).kind).toBe('allow')
    expect(decide(policy(inbox('FULL')), tag(forbidden), pathOf)).toMatchObject({ reason: 'capability_missing' })
  },
)

test.each<[string[], Capability]>([
  [['\\seen'], 'mark_seen'],
  [['\\Deleted'], 'delete'],
  [['\\Flagged', 'work'], 'mark_tagged'],
])('flags %j need %s', (add, capability) => {
  const action: Action = { kind: 'update_flags', message, add, remove: [] }
  const others = (['mark_seen', 'mark_tagged', 'delete'] as const).filter((other) => other !== capability)
  expect(decide(policy(inbox('FULL', [capability])), action, pathOf).kind).toBe('allow')
  expect(decide(policy(inbox('FULL', others)), action, pathOf)).toMatchObject({ kind: 'deny', missing: capability })
})

test('a policy that throws denies, and so does what nobody knows', () => {
  const thrown = (): never => {
    throw new Error('boom')
  }
  expect(decide({ ...policy(inbox('FULL')), folder: thrown }, read, pathOf).kind).toBe('deny')
  expect(decide({ ...policy(inbox('FULL')), sees: thrown }, read, pathOf).kind).toBe('deny')
  expect(decide(policy(inbox('FULL')), read, thrown).kind).toBe('deny')
  for (const kind of ['unheard_of', 'constructor', '__proto__']) {
    expect(decide(ownerPolicy(true), { kind } as unknown as Action, pathOf).kind).toBe('deny')
  }
})
