/** Every reason and every error type that this server can be brought to say, each by what it is for. */
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { capabilityWithout, freePort } from '../dovecot/dovecot.ts'
import { contents } from '../imap/harness.ts'
import { letter } from '../mail-source/messages.ts'
import { DENIED, ERROR_TYPES, met } from './answers.ts'
import {
  type Agent,
  ALL_CAPABILITIES,
  granting,
  LEVELS,
  passwordFrom,
  type Stage,
  startStage,
  uniform,
} from './stage.ts'

const GRANT = (ref: string, scope: string) => ({
  provider: 'google-mock',
  host: '127.0.0.1',
  port: 9,
  user: 'g@example.com',
  auth: { type: 'xoauth2', secret_ref: `secret://accounts/${ref}/refresh_token`, oauth_scope: scope },
})

let stage: Stage
let agent: Agent
let uid: number

beforeAll(async () => {
  const inbox = [uniform('INBOX', 'FULL', ALL_CAPABILITIES)]
  stage = await startStage({
    users: ['ada', 'bob'],
    accounts: {
      wrong: { user: 'ada', ...passwordFrom('wrong') },
      down: { user: 'ada', port: await freePort(), ...passwordFrom('ada') },
      ungranted: GRANT('ungranted', 'https://mail.google.com/'),
      reader: GRANT('reader', 'https://www.googleapis.com/auth/gmail.readonly'),
    },
    secrets: { 'accounts/wrong/password': 'not-the-password', 'accounts/reader/refresh_token': 'refresh-me' },
    env: { IMAP_MCP_OAUTH_CLIENT_ID: 'client', IMAP_MCP_OAUTH_TOKEN_URL: 'http://127.0.0.1:9/token' },
    dovecot: { extra: 'mail_plugins = acl\nplugin {\n  acl = vfile\n}\n' },
    callers: { bot: {}, hurried: { limits: { per_minute: 1 } } },
    policies: {
      hurried: { accounts: {} },
      bot: {
        accounts: {
          ada: [
            ...inbox,
            granting('Friends', 'friend.example', 'FULL', ALL_CAPABILITIES),
            { ...uniform('Others', 'FULL'), rules: [{ match: { from_domain: 'foe.example' }, cap: 'NONE' }] },
            ...LEVELS.map((level) => uniform(`At-${level}`, level)),
            uniform('Gone', 'FULL', ALL_CAPABILITIES),
            uniform('Locked', 'FULL', ALL_CAPABILITIES),
          ],
          bob: [...inbox, ...['Locked', 'Gone'].map((path) => uniform(path, 'FULL', ALL_CAPABILITIES))],
          wrong: inbox,
          down: inbox,
          ungranted: inbox,
          reader: inbox,
        },
      },
    },
  })
  await stage.put('ada', 'Friends', [letter({ from: 'a@friend.example' }), letter({ from: 'a@foe.example' })])
  await stage.put('ada', 'Others', [letter({ from: 'a@foe.example' })])
  for (const level of LEVELS) await stage.put('ada', `At-${level}`, [letter({})])
  await stage.put('ada', 'Locked', [])
  await stage.put('bob', 'Locked', [])
  // May be looked at, and nothing else.
  for (const user of ['ada', 'bob']) {
    await writeFile(join(dirname(stage.dovecot.caFile), 'mail', user, 'Locked', 'dovecot-acl'), 'owner lr\n')
  }
  agent = await stage.as('bot')
})
afterAll(() => stage.close())

beforeEach(async () => {
  ;[uid = 0] = await stage.put('ada', 'INBOX', [letter({ subject: 'here' })])
})
afterEach(() => stage.proxy.flow())

const at = (folder: string, account = 'ada') => ({ account, folder })
const one = (folder: string, account = 'ada', which = uid) => ({ ...at(folder, account), uid: which })
const DRAFT = { rfc822: 'Subject: draft\r\n\r\nwords' }

describe('reasons', () => {
  test.each<[string, string, object]>([
    ['account_hidden', 'search', at('INBOX', 'nobody')],
    ['folder_hidden', 'search', at('Elsewhere')],
    ['sender_not_whitelisted', 'fetch_body', one('Friends', 'ada', 2)],
    ['sender_blacklisted', 'fetch_body', one('Others', 'ada', 1)],
    ['visibility_below_COUNT', 'folder_stats', at('At-NONE')],
    ['visibility_below_METADATA', 'search', at('At-COUNT')],
    ['visibility_below_ENVELOPE', 'fetch_envelope', one('At-METADATA', 'ada', 1)],
    ['visibility_below_HEADERS', 'fetch_headers', one('At-ENVELOPE', 'ada', 1)],
    ['visibility_below_BODY', 'fetch_body', one('At-HEADERS', 'ada', 1)],
    ['visibility_below_FULL', 'fetch_attachment', one('At-BODY', 'ada', 1)],
    ['capability_missing', 'mark_seen', { ...one('At-FULL', 'ada', 1), seen: true }],
    ['forbidden_system_flag', 'mark_tagged', { ...one('INBOX', 'ada', 1), tags: ['\\Seen'], mode: 'add' }],
    ['visibility_would_rise', 'copy', { source: one('Friends', 'ada', 2), target: at('INBOX') }],
    ['tool_not_applicable_for_provider', 'list_labels', { account: 'ada' }],
    ['needs_rebootstrap', 'search', at('INBOX', 'ungranted')],
    ['oauth_scope_insufficient', 'create_draft', { ...at('INBOX', 'reader'), ...DRAFT }],
    ['oauth_scope_insufficient', 'mark_seen', { ...one('INBOX', 'reader', 1), seen: true }],
  ])('%s', async (reason, tool, args) => {
    expect(await agent.ask(tool, args as Record<string, unknown>)).toMatchObject({ decision: 'DENY', reason })
  })

  test('rate_limited', async () => {
    const hurried = await stage.as('hurried')
    await hurried.ask('list_accounts')
    expect(await hurried.ask('list_accounts')).toMatchObject({ decision: 'DENY', reason: 'rate_limited' })
  })

  test('rule_matched and folder_default_applied', async () => {
    expect(await agent.ask('fetch_body', one('Friends', 'ada', 1))).toMatchObject({ reason: 'rule_matched' })
    expect(await agent.ask('fetch_body', one('INBOX'))).toMatchObject({ reason: 'folder_default_applied' })
  })

  test('an account without its grant is listed as what it is', async () => {
    const { accounts } = await agent.ask('list_accounts')
    expect(accounts).toEqual(expect.arrayContaining([{ id: 'ungranted', state: 'needs_rebootstrap' }]))
    expect(accounts).toEqual(expect.arrayContaining([{ id: 'ada', state: 'active' }]))
  })
})

describe('errors', () => {
  test.each<[string, string, () => object]>([
    ['uid_not_found', 'fetch_body', () => one('INBOX', 'ada', 4_000_000_000)],
    ['uid_not_found', 'mark_seen', () => ({ ...one('INBOX', 'ada', 4_000_000_000), seen: true })],
    ['uid_not_found', 'mark_tagged', () => ({ ...one('INBOX', 'ada', 4_000_000_000), tags: ['x'], mode: 'add' })],
    ['uid_not_found', 'move', () => ({ source: one('INBOX', 'ada', 4_000_000_000), target: at('Friends') })],
    ['uid_stale', 'mark_seen', () => ({ ...one('INBOX'), uidvalidity: 1, seen: true })],
    ['uid_stale', 'copy', () => ({ source: { ...one('INBOX'), uidvalidity: 1 }, target: at('Friends') })],
    ['folder_not_found', 'search', () => at('Gone')],
    ['folder_not_found', 'move', () => ({ source: one('Gone'), target: at('INBOX') })],
    ['target_folder_missing', 'copy', () => ({ source: one('INBOX'), target: at('Gone') })],
    ['target_folder_missing', 'move', () => ({ source: one('INBOX'), target: at('Gone') })],
    ['same_source_and_target', 'move', () => ({ source: one('INBOX'), target: at('inbox') })],
    ['attachment_not_found', 'fetch_attachment', () => one('INBOX')],
    ['attachment_not_found', 'fetch_attachment', () => ({ ...one('INBOX'), part_id: '7.7' })],
    ['auth_failed', 'search', () => at('INBOX', 'wrong')],
    ['auth_failed', 'list_folders', () => ({ account: 'wrong' })],
    ['fetch_failed', 'search', () => at('INBOX', 'down')],
  ])('%s by %s', async (error, tool, args) => {
    const answer = await agent.ask(tool, args() as Record<string, unknown>)
    expect(answer).toMatchObject({ decision: 'ALLOW', result: 'ERROR', error_type: error, message: expect.any(String) })
  })

  test('attachment_too_large, and a file for what is too large for an answer', async () => {
    const attached = (bytes: number): string =>
      [
        ...['From: a@b.example', 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b', '', '--b'],
        ...['Content-Type: text/plain', '', 'see file', '--b', 'Content-Type: application/x-big; name="../big.bin"'],
        ...['Content-Disposition: attachment; filename="../big.bin"', 'Content-Transfer-Encoding: base64', ''],
        ...[`${'QUJD'.repeat(19)}\r\n`.repeat(Math.ceil(bytes / 57)), '--b--', ''],
      ].join('\r\n')
    const [large = 0, larger = 0] = await stage.put('ada', 'INBOX', [attached(2_000_000), attached(11_000_000)])
    const saved = await agent.ask('fetch_attachment', one('INBOX', 'ada', large))
    expect(saved).toMatchObject({ filename: '../big.bin', saved_to: expect.stringContaining(stage.dataDir) })
    expect(saved).not.toHaveProperty('content_base64')
    expect(dirname(String(saved['saved_to']))).not.toContain('..')
    const refused = await agent.ask('fetch_attachment', one('INBOX', 'ada', larger))
    expect(refused).toMatchObject({ result: 'ERROR', error_type: 'attachment_too_large' })
  })

  test('what the server refuses to store', async () => {
    const refused = await agent.ask('create_draft', { ...at('Locked'), ...DRAFT })
    expect(refused).toMatchObject({ result: 'ERROR', error_type: 'append_failed' })
    for (const tool of ['copy', 'move']) {
      const answer = await agent.ask(tool, { source: one('INBOX'), target: at('Locked') })
      expect(answer).toMatchObject({ result: 'ERROR', error_type: 'provider_rejected' })
    }
    expect((await contents(await stage.client('ada'), 'INBOX')).map((message) => message.uid)).toContain(uid)
  })

  test('what another account cannot take', async () => {
    const copy = (folder: string, account: string) =>
      agent.ask('copy', { source: one('INBOX'), target: at(folder, account) })
    expect(await copy('INBOX', 'bob')).toMatchObject({ result: 'OK' })
    expect(await copy('Locked', 'bob')).toMatchObject({ error_type: expect.stringMatching(/append_failed$/) })
    expect(await copy('Gone', 'bob')).toMatchObject({ error_type: 'target_folder_missing' })
    expect(await copy('INBOX', 'wrong')).toMatchObject({ error_type: 'auth_failed' })
    expect(await copy('INBOX', 'down')).toMatchObject({ result: 'ERROR' })
  })

  test('the inbox of another account is another folder', async () => {
    const answer = await agent.ask('move', { source: one('INBOX'), target: at('INBOX', 'bob') })
    expect(answer.error_type).not.toBe('same_source_and_target')
  })

  test('a connection that is lost before a change is answered leaves it in doubt', async () => {
    await agent.ask('fetch_envelope', one('INBOX'))
    stage.proxy.when(/ APPEND /, () => stage.proxy.cut())
    const draft = await agent.ask('create_draft', { ...at('INBOX'), ...DRAFT })
    expect(draft).toMatchObject({ result: 'ERROR', error_type: 'target_append_timeout' })
    stage.proxy.when(/ UID COPY /, () => stage.proxy.cut())
    const copy = await agent.ask('copy', { source: one('INBOX'), target: at('Friends') })
    expect(copy).toMatchObject({ result: 'ERROR', error_type: 'timeout' })
    stage.proxy.when(/ UID STORE /, () => stage.proxy.cut())
    const mark = await agent.ask('mark_seen', { ...one('INBOX'), seen: true })
    expect(mark).toMatchObject({ result: 'ERROR', error_type: 'timeout' })
  })
})

describe('a server that cannot move', () => {
  let lesser: Stage
  afterEach(() => lesser.close())

  const start = async (...without: string[]): Promise<Agent> => {
    lesser = await startStage({
      callers: { bot: {} },
      policies: {
        bot: {
          accounts: { ada: [uniform('INBOX', 'FULL', ALL_CAPABILITIES), uniform('Other', 'FULL', ALL_CAPABILITIES)] },
        },
      },
      dovecot: { capability: capabilityWithout(...without) },
    })
    await lesser.put('ada', 'Other', [])
    await lesser.put('ada', 'INBOX', [letter({ subject: 'go' })])
    return lesser.as('bot')
  }
  const move = { source: one('INBOX', 'ada', 1), target: at('Other') }

  test('copies, marks and removes that one', async () => {
    const weak = await start('MOVE')
    expect(await weak.ask('move', move)).toMatchObject({ result: 'OK', mechanism: 'copy_store_expunge', tx_id: null })
    expect(await (await lesser.client('ada')).uids('INBOX')).toEqual([])
  })

  test('and where it cannot remove a single one, says that the original is still there', async () => {
    const weak = await start('MOVE', 'UIDPLUS')
    const answer = await weak.ask('move', move)
    expect(answer).toMatchObject({ result: 'ERROR', error_type: 'source_delete_failed' })
    expect(await (await lesser.client('ada')).uids('INBOX')).toEqual([1])
  })
})

test('all that can be said has been', () => {
  const unsaid = DENIED.filter((reason) => !met.reasons.has(reason))
  const unmet = ERROR_TYPES.filter((error) => !met.errors.has(error))
  expect(unsaid).toEqual([])
  // Those of moves between accounts.
  expect(unmet.filter((error) => !/^target_(append_failed|unreachable)$/.test(error))).toEqual([])
})
