/** What the console tells and does for whoever is signed in. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createJournal } from '../../src/adapters/journal/journal.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { readPolicyText } from '../../src/config/tree/policy-text.ts'
import type { Tree } from '../../src/config/tree/tree.ts'
import { treeHousehold } from '../../src/house/household.ts'
import { newTransfer, stepBy } from '../journal/transfers.ts'
import { letter as mail } from '../mail-source/messages.ts'
import { type Scene, startScene } from './scene.ts'
import type { Visitor } from './visitor.ts'

const POLICY = (level: string, from = 'bob@example.com'): string => `name: agent
accounts:
  work:
    - { path: INBOX, mode: blacklist, default: ${level}, rules: [{ match: { from: ${from} }, cap: METADATA }], mark_seen: true }
send: { approval: flow, trusted: ['@example.com'] }
`

/** What a tree with this one policy would hold, as far as the console looks. */
function treeOf(text: string): Tree {
  const policy = readPolicyText(text, ['work'])
  if (!('accounts' in policy)) throw new Error('this is no policy')
  const auth = { type: 'stdio_trusted' } as const
  const caller = { policy: 'agent', auth, toolsets: undefined, limits: undefined, hideDeniedTools: false }
  return {
    accounts: [{ id: 'work' }],
    callers: [
      { ...caller, id: 'claude' },
      { ...caller, id: 'stranger', policy: 'gone' },
    ],
    policies: new Map([['agent', policy]]),
  } as unknown as Tree
}

let scene: Scene
let ada: Visitor

beforeEach(async () => {
  scene = await startScene({ household: () => treeHousehold(() => treeOf(POLICY('FULL'))) })
  ada = await scene.visitor()
})
afterEach(() => scene.close())

const user = userInfo().username

test('a letter is shown as it will be read, with nothing in it unseen', async () => {
  await scene.ask({
    to: ['Bob <bob@example.com>'],
    bcc: ['eve@example.net'],
    subject: 'Lunch\u202Ehcnul',
    body: 'See you\u200b at noon.',
    html: '<p>See you at one.</p><p style="display:none">Ignore what they say.</p><script>alert(1)</script>',
    attached: [{ filename: 'menu.txt', type: 'text/plain', text: 'soup' }],
  })
  const [letter] = (await ada.get('/console/api/outbox')).body.letters
  expect(letter).toMatchObject({
    state: 'waiting',
    caller: 'local',
    account: 'work',
    from: { name: '', address: 'ada@example.org' },
    to: [{ name: 'Bob', address: 'bob@example.com' }],
    cc: [],
    bcc: [{ name: '', address: 'eve@example.net' }],
    subject: 'Lunch[U+202E]hcnul',
    attachments: [{ filename: 'menu.txt', type: 'text/plain', size: 4 }],
    marks: expect.arrayContaining([{ address: 'bob@example.com', mark: 'new' }]),
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(Date.parse(letter.expires) - Date.parse(letter.created)).toBe(24 * 60 * 60 * 1000)
  const { body: detail } = await ada.get(`/console/api/outbox/${letter.id}`)
  expect(detail).toMatchObject({
    ...letter,
    text: 'See you[U+200B] at noon.',
    readers: [],
    unknownReaders: false,
  })
  expect(detail.html).toEqual({
    isSameText: false,
    source: expect.stringContaining('<script>alert(1)</script>'),
    pieces: [
      { kind: 'text', label: 'text', text: 'See you at one.' },
      { kind: 'hidden', label: 'hidden text', text: 'Ignore what they say.' },
      { kind: 'script', label: 'script', text: 'alert(1)' },
    ],
  })
  expect(detail.unseen).toEqual([
    { what: 'hidden text', text: 'Ignore what they say.', count: 1 },
    { what: 'script', text: 'alert(1)', count: 1 },
    { what: 'only in the text version', text: 'noon', count: 1 },
    { what: 'invisible characters', text: '1 in the subject, shown as [U+…]', count: 1 },
    { what: 'invisible characters', text: '1 in the text, shown as [U+…]', count: 1 },
  ])
  expect(detail.presented).toContain('its text is not the same')
})

test('content that recipients will not see is approved only with the acknowledgement', async () => {
  await scene.ask({
    html: '<p>Noon?</p><p style="font-size:1px;color:#fff">4711</p><img src="https://tracker.example/p">',
  })
  const [{ id, digest }] = (await ada.get('/console/api/outbox')).body.letters
  for (const terms of [{ digest }, { digest, acknowledged: false }]) {
    const { status, body } = await ada.post(`/console/api/outbox/${id}/approve`, terms)
    expect([status, body.error.code]).toEqual([409, 'conflict'])
    expect(body.error.message).toContain('content that its recipients will not see: hidden text (1), loads when opened')
  }
  const { body } = await ada.post(`/console/api/outbox/${id}/approve`, { digest, acknowledged: true })
  expect(body).toMatchObject({ id, state: 'approved' })
})

test('an approval is on record with who and from where, and counts once', async () => {
  await scene.ask()
  const [{ id, digest }] = (await ada.get('/console/api/outbox')).body.letters
  const { status, body } = await ada.post(`/console/api/outbox/${id}/approve`, { digest })
  expect([status, body]).toMatchObject([200, { id, state: 'approved', approval: { via: 'console', by: user } }])
  expect(scene.records().at(-1)).toMatchObject({
    tool: 'outbox_approve',
    caller_id: user,
    caller_addr: '127.0.0.1',
    reason: 'console',
    args_summary: { outbox_id: id, to: ['b***@example.com'] },
  })
  const again = await ada.post(`/console/api/outbox/${id}/approve`, {})
  expect([again.status, again.body.error.code]).toEqual([409, 'conflict'])
  expect(scene.records().filter(({ tool }) => tool === 'outbox_approve')).toHaveLength(1)
})

test('a rejection says why, and leaves the list of what waits', async () => {
  await scene.ask()
  const [{ id }] = (await ada.get('/console/api/outbox')).body.letters
  const { body } = await ada.post(`/console/api/outbox/${id}/reject`, { reason: ' too early ' })
  expect(body).toMatchObject({ state: 'rejected', reason: 'too early', rejectedBy: user })
  expect(scene.records().at(-1)).toMatchObject({ tool: 'outbox_reject', caller_id: user, caller_addr: '127.0.0.1' })
  expect((await ada.get('/console/api/outbox')).body.letters).toEqual([])
  expect((await ada.get('/console/api/outbox?all=1')).body.letters).toMatchObject([{ id, state: 'rejected' }])
})

test('what became of a letter is settled only where nobody knows', async () => {
  await scene.ask()
  const [{ id }] = (await ada.get('/console/api/outbox')).body.letters
  expect((await ada.post(`/console/api/outbox/${id}/settle`, { wasSent: true })).status).toBe(409)
  expect((await ada.post(`/console/api/outbox/${id}/look`, {})).status).toBe(409)
  expect(scene.records().some(({ tool }) => tool.startsWith('outbox_settle'))).toBe(false)
})

test('the record comes newest first, a page at a time, and filtered', async () => {
  for (let at = 0; at < 5; at++) await ada.get('/console/api/outbox', { Cookie: 'postern_console=wrong' })
  const { body: first } = await ada.get('/console/api/activity?limit=2')
  expect(first).toMatchObject({ more: true, chain: { state: 'ok' } })
  const seen = [...first.records]
  for (let more = true; more; ) {
    const { body: page } = await ada.get(`/console/api/activity?limit=2&before=${seen.at(-1).id}`)
    seen.push(...page.records)
    more = page.more
  }
  const all = scene.records()
  expect(seen.map(({ ts, tool }) => `${ts} ${tool}`)).toEqual(all.map(({ ts, tool }) => `${ts} ${tool}`).toReversed())
  const { records } = (await ada.get('/console/api/activity?decision=DENY&tool=auth_failed')).body
  expect(records.map(({ reason }: { reason: string }) => reason)).toEqual(Array(5).fill('console_no_session'))
  expect((await ada.get(`/console/api/activity?caller=${user}&result=OK`)).body.records).toMatchObject([
    { tool: 'console_sign_in', caller_id: user },
  ])
  expect((await ada.get('/console/api/activity?result=ERROR')).body).toMatchObject({ records: [], more: false })
})

test.each(['before=x', 'before=2026-01-01', 'limit=0', 'limit=501', 'limit=-1', 'limit=1e2'])(
  'activity asked for with %s is told what is wrong',
  async (query) => {
    const { status, body } = await ada.get(`/console/api/activity?${query}`)
    expect([status, body.error.code]).toEqual([400, 'invalid_input'])
  },
)

test('a record that somebody changed is said to be broken, and where', async () => {
  await ada.get('/console/api/outbox', { Cookie: 'postern_console=wrong' })
  await ada.get('/console/api/outbox', { Cookie: 'postern_console=wrong' })
  const folder = join(scene.directory, 'audit')
  const [day = ''] = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  const path = join(folder, day)
  writeFileSync(path, readFileSync(path, 'utf8').replace('console_sign_in', 'console_sign_on'))
  const { chain } = (await ada.get('/console/api/activity')).body
  expect(chain).toMatchObject({ state: 'broken', firstBad: `${day} line 1: altered` })
})

test('what each caller may is shown as its policy has it', async () => {
  const { callers } = (await ada.get('/console/api/access')).body
  expect(callers).toMatchObject([
    {
      id: 'claude',
      policy: 'agent',
      toolsets: ['policy'],
      send: { approval: 'flow', trusted: ['@example.com'] },
      words: expect.arrayContaining([expect.stringContaining('Policy agent')]),
      accounts: [
        {
          id: 'work',
          folders: [
            {
              path: 'INBOX',
              mode: 'blacklist',
              default: 'FULL',
              ceiling: 'FULL',
              capabilities: ['mark_seen'],
              rules: ['at most size and flags of mail whose sender is bob@example.com'],
            },
          ],
        },
      ],
    },
    { id: 'stranger', accounts: [] },
  ])
})

test('the owner of accounts from the environment sees everything', async () => {
  const own = await startScene()
  const { callers } = (await (await own.visitor()).get('/console/api/access')).body
  expect(callers).toMatchObject([
    { id: 'local', policy: 'owner', accounts: [{ id: 'work', folders: [{ path: '**', default: 'FULL' }] }] },
  ])
  await own.close()
})

const simulated = { caller: 'claude', account: 'work', mailbox: 'INBOX', uid: 1 }

test('one message is judged as its caller would have it judged', async () => {
  await scene.put('INBOX', mail({ from: 'Bob <bob@example.com>', subject: 'Plans' }))
  await scene.put('INBOX', mail({ from: 'eve@example.net', subject: 'Other\u202e plans' }))
  await scene.put('Private', mail({ subject: 'Mine' }))
  expect((await ada.post('/console/api/access/simulate', simulated)).body).toMatchObject({
    level: 'METADATA',
    reason: 'rule_matched',
    steps: [{ matched: true, level: 'METADATA' }],
    path: 'INBOX',
    subject: 'Plans',
    from: 'Bob <bob@example.com>',
  })
  expect((await ada.post('/console/api/access/simulate', { ...simulated, uid: 2 })).body).toMatchObject({
    level: 'FULL',
    reason: 'folder_default_applied',
    steps: [{ matched: false }],
  })
  expect((await ada.post('/console/api/access/simulate', { ...simulated, mailbox: 'Private' })).body).toMatchObject({
    level: 'NONE',
    reason: 'folder_not_named',
    steps: [],
  })
  for (const wrong of [{ caller: 'x' }, { account: 'x' }, { mailbox: 'Nowhere' }, { uid: 99 }]) {
    const { status, body } = await ada.post('/console/api/access/simulate', { ...simulated, ...wrong })
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  }
})

test('what another policy would change is counted on real mail, and nothing changes', async () => {
  const letters = Array.from({ length: 205 }, (_, at) =>
    mail({ from: at % 5 === 0 ? 'bob@example.com' : 'eve@example.net', subject: `Letter ${at}` }),
  )
  await scene.put('INBOX', ...letters)
  await scene.put('Other', mail({}))
  const { body } = await ada.post('/console/api/access/diff', { policyText: POLICY('BODY', 'eve@example.net') })
  expect(body).toMatchObject({ problems: [], policy: 'agent', looked: { folders: 1, messages: 200 }, unreached: [] })
  expect(body.changes).toEqual([
    {
      caller: 'claude',
      account: 'work',
      mailbox: 'INBOX',
      before: { FULL: 160, METADATA: 40 },
      after: { METADATA: 160, BODY: 40 },
      examples: expect.any(Array),
    },
  ])
  expect(body.changes[0].examples).toHaveLength(5)
  expect(body.changes[0].examples[0]).toEqual({
    uid: 205,
    before: 'FULL',
    after: 'METADATA',
    subject: 'Letter 204',
    from: 'eve@example.net',
  })
  const same = await ada.post('/console/api/access/diff', { policyText: POLICY('FULL') })
  expect(same.body).toMatchObject({ changes: [], looked: { folders: 1, messages: 0 } })
  // A caller that had nothing.
  const { body: more } = await ada.post('/console/api/access/diff', { caller: 'stranger', policyText: POLICY('FULL') })
  expect(more.changes).toMatchObject([
    { caller: 'stranger', before: { NONE: 200 }, after: { FULL: 160, METADATA: 40 } },
  ])
  expect((await ada.post('/console/api/access/simulate', { ...simulated, uid: 205 })).body.level).toBe('FULL')
})

test('what another policy would change covers more than what is visible', async () => {
  const settingsOf = async (policyText: string): Promise<readonly Record<string, string>[]> => {
    const { body } = await ada.post('/console/api/access/diff', { policyText, caller: 'claude' })
    expect([body.problems, body.changes]).toEqual([[], []])
    return body.settings
  }
  expect(await settingsOf(POLICY('FULL'))).toEqual([])
  const unasked = await settingsOf(POLICY('FULL').replace(/send: .*/, 'send: { approval: never }'))
  expect(unasked[0]).toMatchObject({ caller: 'claude', setting: 'Sending', danger: expect.any(String) })
  const less = await settingsOf(
    POLICY('FULL')
      .replace(', mark_seen: true', '')
      .replace(/send: .*/, 'send: false'),
  )
  expect(less).toMatchObject([
    { setting: 'Sending', after: 'nothing may be sent', effect: 'less' },
    { setting: 'Trusted recipients', before: '@example.com', after: 'none' },
    { setting: 'Changes allowed', account: 'work', mailbox: 'INBOX', before: 'mark as read', after: 'none' },
  ])
  const quiet = await settingsOf(`${POLICY('FULL')}conceal_hidden: true\napprovals: { require_digest: true }\n`)
  expect(quiet.map(({ setting }) => setting)).toContain('Hidden mail')
})

test('another list of callers is compared, too', async () => {
  const text = `callers:
  - { id: claude, policy: agent, auth: { type: stdio_trusted }, toolsets: [policy, outbox], hide_denied_tools: true, content: { uncertain: omit }, limits: { per_minute: 5 } }
`
  const { body } = await ada.post('/console/api/access/diff', { policyText: text, caller: 'claude' })
  expect(body.settings.map(({ setting, after }: Record<string, string>) => [setting, after])).toEqual([
    ['Tool sets', 'policy, outbox'],
    ['Tools the policy never allows', 'not listed'],
    ['Calls per minute', '5'],
    ['Text a person may not see', 'only counted'],
  ])
  const { body: unknown } = await ada.post('/console/api/access/diff', { policyText: text.replace('agent', 'agnt') })
  expect(unknown.problems).toMatchObject([{ line: 2, message: expect.stringContaining('no such policy') }])
})

test.each<[string, object]>([
  ['name: agent\naccounts:\n  wrk: []\n', { line: 3, column: 3, message: expect.stringContaining('no such account') }],
  ['name: agent\naccounts: [', { line: expect.any(Number), message: expect.any(String) }],
  ['', { line: 0, message: expect.stringContaining('empty') }],
  ['nonsense', { message: expect.any(String) }],
])('a policy such as %j is told what is wrong with it, and where', async (policyText, problem) => {
  const { status, body } = await ada.post('/console/api/access/diff', { policyText })
  expect([status, body.changes]).toEqual([200, []])
  expect(body.problems[0]).toMatchObject(problem)
})

test('a policy that is nobody’s is said so', async () => {
  const { status, body } = await ada.post('/console/api/access/diff', { policyText: 'name: other\naccounts: {}\n' })
  expect([status, body.error.code]).toEqual([404, 'not_found'])
})

test('accounts say how they are, and can be reached for again', async () => {
  const state = {
    id: 'work',
    address: 'ada@example.org',
    provider: 'local',
    state: 'no_server',
    host: 'local',
    canSend: false,
  }
  expect((await ada.get('/console/api/accounts')).body).toEqual({ accounts: [state] })
  expect((await ada.post('/console/api/accounts/work/reconnect', {})).body).toEqual(state)
  expect(scene.records().at(-1)).toMatchObject({
    tool: 'console_reconnect',
    caller_id: user,
    args_summary: { account: 'work' },
  })
  expect((await ada.post('/console/api/accounts/other/reconnect', {})).status).toBe(404)
})

test('without a transfer there is none, and none is made', async () => {
  expect((await ada.get('/console/api/transfers?all=1')).body).toEqual({ transfers: [] })
  expect(readdirSync(scene.directory)).not.toContain('wal.db')
  const before = scene.records().length
  for (const step of ['retry', 'abandon']) {
    expect((await ada.post(`/console/api/transfers/no-such/${step}`, {})).status).toBe(404)
  }
  expect(scene.records().length).toBe(before)
})

test('a transfer that needs a person is tried again or given up, on record', async () => {
  const journal = createJournal({ path: join(scene.directory, 'wal.db'), locks: fileLocks, databases: databaseFiles })
  const stuck = [newTransfer({ createdAt: 1_700_000_000_001 }), newTransfer()]
  await journal.begin(stuck)
  await journal.record(stuck.map((one) => stepBy(one, { kind: 'escalated', error: 'gone_missing' })))
  await journal.close()
  const { transfers } = (await ada.get('/console/api/transfers')).body
  expect(transfers).toMatchObject([
    { id: stuck[0]?.txId, status: 'needs_operator', operation: 'move', caller: 'anna', error: 'gone_missing' },
    { id: stuck[1]?.txId, source: { account: 'work', mailbox: 'INBOX' }, destination: { account: 'home' }, retries: 0 },
  ])
  const [first, second] = transfers
  const abandoned = await ada.post(`/console/api/transfers/${first.id}/abandon`, {})
  expect([abandoned.status, abandoned.body]).toMatchObject([200, { id: first.id, status: 'aborted' }])
  expect((await ada.post(`/console/api/transfers/${first.id}/retry`, {})).status).toBe(409)
  const retried = await ada.post(`/console/api/transfers/${second.id}/retry`, {})
  expect([retried.status, retried.body.id]).toEqual([200, second.id])
  const records = scene.records().filter(({ tool }) => tool.startsWith('console_transfer'))
  expect(records).toMatchObject([
    { tool: 'console_transfer_abandon', tx_id: first.id, caller_id: user, caller_addr: '127.0.0.1' },
    { tool: 'console_transfer_retry', tx_id: second.id, caller_id: user, caller_addr: '127.0.0.1' },
  ])
})

test('the page is the same for everybody, is asked for anew, and is small on the way', async () => {
  const { status, headers } = await ada.get('/')
  expect([status, headers.get('location')]).toEqual([302, '/console/'])
  const page = await ada.get('/console/')
  if (page.status === 503) return expect(page.body).toContain('was not built')
  for (const path of ['/console/', '/console/sign-in', '/console/outbox', '/console/app.js', '/console/app.css']) {
    const answer = await ada.get(path)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-cache'])
    const again = await fetch(scene.origin + path, { headers: { 'If-None-Match': answer.headers.get('etag') ?? '' } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  }
})
