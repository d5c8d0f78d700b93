/** Accounts, and what is said when their mail servers are of no help. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dovecot, freePort, startDovecot } from '../dovecot/dovecot.ts'
import { letter } from '../mail-source/messages.ts'
import { type FakeServer, startBoasting, startCleartextOnly, startEchoing, startMute } from './fake-server.ts'
import { ADA, BOB, type Stage, startStage } from './harness.ts'
import {
  type Arguments,
  account,
  type Postern,
  passwordOf,
  refusalOf,
  startPostern,
  type Variables,
} from './postern.ts'
import { type MailProxy, startProxy } from './proxy.ts'

let stage: Stage
let misnamed: Dovecot
let fakes: FakeServer[]
let stalling: MailProxy
let troubled: Postern

beforeAll(async () => {
  ;[stage, misnamed, fakes] = await Promise.all([
    startStage(),
    startDovecot({ users: { [ADA]: passwordOf(ADA) }, certificateNames: 'DNS:mail.example.org' }),
    Promise.all([startMute(), startCleartextOnly(), startEchoing(), startBoasting()]),
  ])
  stalling = await startProxy(stage.dovecot.port)
  troubled = await startPostern({
    ...account('password', stage.dovecot.port, ADA, 'wrong'),
    ...account('refused', fakes[2]?.port ?? 0, ADA),
    ...account('boasting', fakes[3]?.port ?? 0, ADA),
    ...account('down', await freePort(), ADA),
    ...over('true', account('untrusted', stage.dovecot.tlsPort, ADA)),
    ...account('mute', fakes[0]?.port ?? 0, ADA),
    ...over('false', account('starttls', fakes[1]?.port ?? 0, ADA), '127.1'),
    ...over('true', account('plaintext', stage.dovecot.port, ADA)),
    ...account('stalling', stalling.port, ADA),
    MAIL_IMAP_WRITE_ENABLED: 'true',
    MAIL_IMAP_GREETING_TIMEOUT_MS: '2000',
    MAIL_IMAP_SOCKET_TIMEOUT_MS: '2500',
  })
})
afterAll(async () => {
  await troubled.close()
  await stalling.close()
  await Promise.all([stage.close(), misnamed.stop(), ...fakes.map((fake) => fake.close())])
})

/** The same account with other settings. `127.1` is loopback for the system, yet no name that we know as loopback. */
function over(secure: 'true' | 'false', variables: Variables, host = '127.0.0.1'): Variables {
  const name = Object.keys(variables)[0]?.replace('_HOST', '') ?? ''
  return { ...variables, [`${name}_SECURE`]: secure, [`${name}_HOST`]: host }
}

describe('an account that works', () => {
  test('accounts are listed without anything secret', async () => {
    const { summary, data } = await stage.postern.call('imap_list_accounts')
    const { port } = stage.proxy
    expect(summary).toBe('2 account(s) configured')
    expect(data).toEqual({
      accounts: [
        { account_id: 'default', host: '127.0.0.1', port, secure: false },
        { account_id: 'work', host: '127.0.0.1', port: stage.dovecot.port, secure: false },
      ],
      next_action: {
        instruction: expect.any(String),
        tool: 'imap_list_mailboxes',
        arguments: { account_id: 'default' },
      },
    })
  })

  test('verifying one connects, logs in and tells what the server can do', async () => {
    const { summary, data } = await stage.postern.call('imap_verify_account', { account_id: 'work' })
    expect(summary).toBe('Account work works')
    expect(data).toEqual({
      status: 'ok',
      issues: [],
      next_action: { instruction: expect.any(String), tool: 'imap_list_mailboxes', arguments: { account_id: 'work' } },
      account_id: 'work',
      ok: true,
      latency_ms: expect.any(Number),
      server: { host: '127.0.0.1', port: stage.dovecot.port, secure: false },
      capabilities: expect.arrayContaining(['IMAP4REV1', 'UIDPLUS', 'MOVE']),
    })
  })

  test('its mailboxes are listed with the delimiter of their names', async () => {
    await stage.put('Projects/2024', [])
    const { summary, data } = await stage.postern.call('imap_list_mailboxes')
    expect(data).toMatchObject({
      status: 'ok',
      issues: [],
      account_id: 'default',
      next_action: { tool: 'imap_search_messages', arguments: { account_id: 'default', mailbox: 'INBOX' } },
    })
    expect(data.mailboxes).toEqual(
      expect.arrayContaining(['INBOX', 'Projects/2024', 'Sent'].map((name) => ({ name, delimiter: '/' }))),
    )
    expect(summary).toBe(`${data.mailboxes.length} mailbox(es)`)
  })

  test('more than 200 mailboxes come in pages, INBOX first', async () => {
    for (let index = 0; index < 200; index += 1) await stage.dovecot.deliver(BOB, `Many-${index}`, [])
    const { summary, data } = await stage.postern.call('imap_list_mailboxes', { account_id: 'work' })
    expect(data.mailboxes).toHaveLength(200)
    expect(data.mailboxes.map(({ name }) => name)).toContain('INBOX')
    expect(summary).toMatch(/^200 of 20\d mailboxes$/)
    const { next_cursor: cursor } = data as { next_cursor?: string }
    expect(data).toMatchObject({ has_more: true, next_action: { arguments: { account_id: 'work', cursor } } })
    const rest = await stage.postern.call('imap_list_mailboxes', { account_id: 'work', cursor })
    expect(rest.data).toMatchObject({ has_more: false })
    const names = [...data.mailboxes, ...rest.data.mailboxes].map(({ name }) => name)
    expect([names[0], new Set(names).size]).toEqual(['INBOX', names.length])
    expect(summary).toBe(`200 of ${names.length} mailboxes`)
    const again = await stage.postern.call('imap_list_mailboxes', { account_id: 'work', cursor })
    expect(again.data.mailboxes).toEqual(rest.data.mailboxes)
    for (const wrong of [{ cursor }, { account_id: 'work', cursor: `${cursor}x` }]) {
      expect((await stage.postern.refusal('imap_list_mailboxes', wrong)).data.code).toBe('invalid_input')
    }
    const search = { account_id: 'work', mailbox: 'INBOX', cursor }
    expect((await stage.postern.refusal('imap_search_messages', search)).data.code).toBe('invalid_input')
  })

  test('TLS is verified against the authority that was given', async () => {
    const { tlsPort, caFile } = stage.dovecot
    const env = { ...over('true', account('default', tlsPort, ADA), 'localhost'), MAIL_IMAP_CA_CERT_PATH: caFile }
    const postern = await startPostern(env)
    const { data } = await postern.call('imap_verify_account')
    expect(data).toMatchObject({ status: 'ok', server: { host: 'localhost', port: tlsPort, secure: true } })
    await postern.close()
  })
})

describe('an account that does not work', () => {
  const WHAT_TO_CHECK = /again in a moment\. If it fails again, ask the user to check the account's host and port/
  const cases: [name: string, code: string, retryable: boolean, message: RegExp][] = [
    ['password', 'auth_failed', false, /^the server refused the user name or password of account password$/],
    ['down', 'unavailable', true, /^127\.0\.0\.1:\d+ refused the connection; check host and port$/],
    ['untrusted', 'tls_failed', false, /certificate of .* is not trusted; .*MAIL_IMAP_CA_CERT_PATH/],
    ['mute', 'timeout', true, /accepted the connection but said nothing/],
    ['starttls', 'tls_failed', false, /does not offer STARTTLS/],
    ['plaintext', 'tls_failed', false, /does not speak TLS/],
  ]

  test.each(cases)('verifying %s: %s', async (name, code, retryable, message) => {
    const { summary, data } = await troubled.call('imap_verify_account', { account_id: name })
    const issue = { code, stage: 'connect', message: expect.stringMatching(message), retryable }
    expect(data).toEqual({
      status: 'failed',
      issues: [issue],
      next_action: {
        instruction: expect.stringMatching(retryable ? WHAT_TO_CHECK : /correct the settings of this account/),
        tool: 'imap_verify_account',
        arguments: { account_id: name },
      },
      account_id: name,
      ok: false,
      latency_ms: expect.any(Number),
      server: { host: expect.stringContaining('127.'), port: expect.any(Number), secure: expect.any(Boolean) },
      capabilities: [],
    })
    expect(summary).toBe(`Account ${name} does not work: ${data.issues[0]?.message}`)
  })

  test('of a server that can do more than anybody wants to know, 256 capabilities are told', async () => {
    const { data } = await troubled.call('imap_verify_account', { account_id: 'boasting' })
    expect(data).toMatchObject({ status: 'ok', ok: true })
    expect(data.capabilities).toHaveLength(256)
  })

  test('a certificate for another name is refused', async () => {
    const { tlsPort, caFile } = misnamed
    const env = { ...over('true', account('default', tlsPort, ADA)), MAIL_IMAP_CA_CERT_PATH: caFile }
    const postern = await startPostern(env)
    const { data } = await postern.call('imap_verify_account')
    expect(data.issues[0]).toMatchObject({
      code: 'tls_failed',
      message: expect.stringContaining('is for another host name'),
    })
    await postern.close()
  })

  test('where STARTTLS is missing, neither user name nor password is sent', () => {
    const heard = fakes[1]?.heard() ?? ''
    expect(heard).not.toMatch(/LOGIN|AUTHENTICATE/i)
    expect(heard).not.toContain(passwordOf(ADA))
  })

  const id = (name: string): string => `imap:${name}:INBOX:1:1`
  const message = (name: string): Arguments => ({ message_id: id(name) })
  const relocated = { status: 'failed', steps_attempted: 0, steps_succeeded: 0 }
  const tools: [tool: string, args: (name: string) => Arguments, summary: RegExp, data: object][] = [
    ['imap_list_mailboxes', (name) => ({ account_id: name }), /could not be listed/, { mailboxes: [] }],
    [
      'imap_search_messages',
      (name) => ({ account_id: name, mailbox: 'INBOX' }),
      /^Search failed/,
      { total: 0, attempted: 0, returned: 0, failed: 0, messages: [], has_more: false, mailbox: 'INBOX' },
    ],
    ['imap_get_message', message, /^Message could not be read/, {}],
    ['imap_get_message_raw', message, /^The source could not be fetched/, {}],
    [
      'imap_update_message_flags',
      (name) => ({ ...message(name), add_flags: ['\\Seen'] }),
      /^Flags not changed/,
      {
        flags: null,
        requested_add_flags: ['\\Seen'],
        requested_remove_flags: [],
        applied_add_flags: false,
        applied_remove_flags: false,
      },
    ],
    [
      'imap_copy_message',
      (name) => ({ ...message(name), destination_mailbox: 'Sent' }),
      /^0 of 1 messages copied/,
      relocated,
    ],
    [
      'imap_move_message',
      (name) => ({ ...message(name), destination_mailbox: 'Sent' }),
      /^0 of 1 messages moved/,
      relocated,
    ],
    ['imap_delete_message', (name) => ({ ...message(name), confirm: true }), /^0 of 1 messages deleted/, relocated],
  ]

  test.each(tools)(
    '%s fails softly, for a wrong password and for a server that is down',
    async (tool, args, told, rest) => {
      const refused = await troubled.call(tool, args('refused'))
      expect(refused.data).toMatchObject({
        status: 'failed',
        issues: [{ code: 'auth_failed', retryable: false }],
        next_action: { tool: 'imap_verify_account', arguments: { account_id: 'refused' } },
        ...rest,
      })
      const down = await troubled.call(tool, args('down'))
      expect(down.data).toMatchObject({
        status: 'failed',
        issues: [{ code: 'unavailable', retryable: true }],
        next_action: { instruction: expect.stringMatching(WHAT_TO_CHECK), tool },
        ...rest,
      })
      expect(down.data.next_action.arguments).toMatchObject(args('down'))
      for (const { summary, data } of [refused, down]) {
        expect(summary).toMatch(told)
        expect(summary).toContain(data.issues[0]?.message)
      }
    },
  )

  test.each([
    ['refused', 'auth_failed'],
    ['mute', 'timeout'],
    ['down', 'internal'],
  ])('reading a resource has no envelope: %s is the error %s', async (name, code) => {
    const uri = `imap://${name}/mailbox/INBOX/message/1/1`
    const refusal = await refusalOf(troubled.client.readResource({ uri }))
    expect(refusal.data.code).toBe(code)
  })

  test('a server that stops answering is a timeout, and is used again once it answers', async () => {
    expect((await troubled.call('imap_verify_account', { account_id: 'stalling' })).data.ok).toBe(true)
    stalling.stall()
    const search = { account_id: 'stalling', mailbox: 'INBOX' }
    const { summary, data } = await troubled.call('imap_search_messages', search)
    expect(data).toMatchObject({
      status: 'failed',
      issues: [{ code: 'timeout', retryable: true, message: 'the mail server did not answer for 2.5 s' }],
      next_action: { tool: 'imap_search_messages', arguments: search },
    })
    expect(summary).toBe('Search failed: the mail server did not answer for 2.5 s')
    stalling.flow()
    expect((await troubled.call('imap_search_messages', search)).data.status).toBe('ok')
  })

  test('a server that stops answering after the flags were changed: done in part, and the flags are not known', async () => {
    const [id = ''] = await stage.put('Stalled', [letter({})])
    const message_id = id.replace('imap:default', 'imap:stalling')
    stalling.when(/UID STORE/, () => stalling.when(/FETCH/, stalling.stall))
    const { summary, data } = await troubled.call('imap_update_message_flags', { message_id, add_flags: ['\\Flagged'] })
    stalling.flow()
    expect(summary).toBe('Flags changed in part: the mail server did not answer for 2.5 s')
    expect(data).toMatchObject({
      status: 'partial',
      issues: [{ code: 'timeout' }],
      flags: null,
      applied_add_flags: true,
      applied_remove_flags: false,
    })
    expect(await stage.ada.flags('Stalled', 1)).toContain('\\Flagged')
  })
})
