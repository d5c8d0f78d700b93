/** Two callers on one tree: neither learns anything of the other. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uidvalidityOf } from '../imap/harness.ts'
import { letter } from '../mail-source/messages.ts'
import { type Agent, ALL_CAPABILITIES, granting, type Stage, startStage, uniform } from './stage.ts'

let stage: Stage
let left: Agent
let right: Agent

/** Every word that only the caller `right` may hear. */
const OTHERS = /right|bob|Rightful|Shared-by-none|other-secret/

beforeAll(async () => {
  const inbox = granting('INBOX', 'friend.example', 'ENVELOPE')
  stage = await startStage({
    users: ['ada', 'bob'],
    callers: {
      left: { policy: 'for-left', toolsets: ['policy', 'imap'] },
      right: { policy: 'for-right', toolsets: ['policy', 'imap'] },
      hurried: { policy: 'for-left', limits: { per_minute: 3 } },
    },
    policies: {
      'for-left': { accounts: { ada: [inbox, uniform('Common', 'FULL', ALL_CAPABILITIES)] } },
      'for-right': {
        accounts: {
          ada: [uniform('INBOX', 'FULL'), uniform('Rightful', 'FULL'), uniform('Common', 'FULL', ALL_CAPABILITIES)],
          bob: [uniform('INBOX', 'FULL', ALL_CAPABILITIES)],
        },
      },
    },
  })
  const mail = Array.from({ length: 6 }, (_, i) =>
    letter({
      from: i % 2 === 0 ? 'f@friend.example' : 's@stranger.example',
      subject: i % 2 === 0 ? 'ours' : 'other-secret',
    }),
  )
  await stage.put('ada', 'INBOX', mail)
  await stage.put('ada', 'Rightful', [letter({ subject: 'other-secret' })])
  await stage.put('ada', 'Common', [letter({ subject: 'common' })])
  await stage.put('ada', 'Shared-by-none', [letter({ subject: 'other-secret' })])
  await stage.put('bob', 'INBOX', [letter({ subject: 'other-secret' })])
  left = await stage.as('left')
  right = await stage.as('right')
})
afterAll(() => stage.close())

test('each knows itself', async () => {
  expect(await left.ask('get_caller_identity')).toMatchObject({ caller_id: 'left' })
  expect(await right.ask('get_caller_identity')).toMatchObject({ caller_id: 'right' })
})

test('each is told its own accounts and folders, and of the others only how many', async () => {
  expect(await left.ask('list_accounts')).toMatchObject({
    accounts: [{ id: 'ada', state: 'active' }],
    hidden_accounts_count: 1,
  })
  const { accounts, ...mine } = await left.ask('describe_policy')
  expect(mine).toMatchObject({ caller_id: 'left', hidden_accounts_count: 1 })
  expect(accounts).toEqual([
    {
      id: 'ada',
      semantics: 'imap-standard',
      token_cache: 'memory_only',
      folders_visible: [
        {
          path: 'INBOX',
          mode: 'whitelist',
          default_visibility: 'NONE',
          max_visibility: 'ENVELOPE',
          capabilities: [],
          sender_rules_count: 1,
        },
        expect.objectContaining({ path: 'Common', max_visibility: 'FULL' }),
      ],
      // Rightful, Shared-by-none, Sent and Trash.
      hidden_folders_count: 4,
    },
  ])
  const { folders } = await left.ask('list_folders', { account: 'ada' })
  expect(Object.fromEntries(folders.map(({ path, message_count }) => [path, message_count]))).toEqual({
    INBOX: 3,
    Common: 1,
  })
  const { data } = await left.postern.call('imap_list_mailboxes', { account_id: 'ada' })
  expect(data.mailboxes.map(({ name }) => name).toSorted()).toEqual(['Common', 'INBOX'])
  expect((await left.postern.call('imap_list_accounts')).data.accounts).toHaveLength(1)
})

test('a transaction is known to nobody but who began it', async () => {
  const answers = await Promise.all(
    [left, right].map((agent) => agent.ask('get_transaction_status', { tx_id: 'tx-1' })),
  )
  for (const answer of answers) expect(answer).toMatchObject({ decision: 'ALLOW', state: 'unknown' })
})

test('a cursor of one is none in the hands of the other', async () => {
  const asked = { account_id: 'ada', mailbox: 'INBOX', limit: 2 }
  const { data } = await right.postern.call('imap_search_messages', asked)
  const borrowed = await left.postern.refusal('imap_search_messages', { ...asked, cursor: data.next_cursor })
  expect(borrowed).toMatchObject({ code: -32602, message: expect.stringMatching(/cursor belongs to another/) })
})

test('what one does, the other does not hear of, but for the mail itself', async () => {
  const uidvalidity = await uidvalidityOf(await stage.client('ada'), 'Common')
  const common = { account: 'ada', folder: 'Common', uid: 1, uidvalidity }
  await Promise.all([
    left.ask('mark_tagged', { ...common, tags: ['from-left'], mode: 'add' }),
    right.ask('mark_tagged', { ...common, tags: ['from-beyond'], mode: 'add' }),
  ])
  const { messages } = await left.ask('list_messages', { account: 'ada', folder: 'Common' })
  expect(messages[0]?.['flags']).toEqual(expect.arrayContaining(['from-left', 'from-beyond']))
})

test('limits are each caller’s own', async () => {
  const hurried = await stage.as('hurried')
  const answers = []
  for (let i = 0; i < 5; i += 1) answers.push(await hurried.ask('list_accounts'))
  expect(answers.map(({ decision, reason }) => (decision === 'ALLOW' ? 'ok' : reason))).toEqual([
    ...['ok', 'ok', 'ok', 'rate_limited', 'rate_limited'],
  ])
  expect(await left.ask('list_accounts')).toMatchObject({ decision: 'ALLOW' })
})

test('in all that one was ever told, and in its log, no word is the other’s', async () => {
  for (const folder of ['Rightful', 'Shared-by-none', 'Sent']) {
    // The question names it, the answer repeats the question and nothing more.
    const { folder: echoed, ...rest } = await left.ask('search', { account: 'ada', folder })
    expect(echoed).toBe(folder)
    expect(rest).toEqual({ decision: 'DENY', reason: 'folder_hidden', account: 'ada' })
  }
  const told = left.postern.output.stdout.replaceAll(/"folder\\?":\\?"(Rightful|Shared-by-none)/g, '')
  expect(told.length).toBeGreaterThan(5000)
  expect(told).not.toMatch(OTHERS)
  expect(left.postern.output.stderr).not.toMatch(/right|other-secret|Shared-by-none/)
})

test('the record says who did what', async () => {
  const lines = (await stage.audit()).trim().split('\n')
  const records = lines.map((line) => JSON.parse(line) as { caller_id?: string; tool?: string })
  expect(new Set(records.flatMap(({ caller_id }) => caller_id ?? []))).toEqual(new Set(['left', 'right', 'hurried']))
})
