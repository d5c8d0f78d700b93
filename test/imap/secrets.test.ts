/** Passwords and tokens never come out again: not in answers, not in the log at its most talkative, not on record. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dovecot, freePort, startDovecot } from '../dovecot/dovecot.ts'
import { type FakeServer, startCleartextOnly, startEchoing, startMute } from './fake-server.ts'
import { account, type Postern, startPostern } from './postern.ts'
import { type MailProxy, startProxy } from './proxy.ts'
import { filesIn, formsOf } from './secret-forms.ts'

const USER = 'canary'
const RIGHT = 'Right-7391 "quoted\\slash" pass'
const WRONG = 'Wrong-8402-äöü-pass'
const TOKEN = 'Token-5513-of-the-http-server'

let dovecot: Dovecot
let proxy: MailProxy
let fakes: FakeServer[]
let postern: Postern

beforeAll(async () => {
  dovecot = await startDovecot({ users: { [USER]: RIGHT } })
  proxy = await startProxy(dovecot.port)
  fakes = await Promise.all([startEchoing(), startMute(), startCleartextOnly()])
  const [echoing = 0, mute = 0, cleartext = 0] = fakes.map(({ port }) => port)
  postern = await startPostern({
    ...account('default', proxy.port, USER, RIGHT),
    ...account('wrong', dovecot.port, USER, WRONG),
    ...account('echoing', echoing, USER, WRONG),
    ...account('mute', mute, USER, RIGHT),
    ...account('down', await freePort(), USER, RIGHT),
    ...account('untrusted', dovecot.tlsPort, USER, RIGHT),
    MAIL_IMAP_UNTRUSTED_SECURE: 'true',
    ...account('cleartext', cleartext, USER, RIGHT),
    MAIL_IMAP_CLEARTEXT_HOST: '127.1',
    MAIL_IMAP_DEFAULT_SMTP_HOST: '127.0.0.1',
    MAIL_IMAP_DEFAULT_SMTP_PASS: `${RIGHT}-smtp`,
    MAIL_IMAP_WRITE_ENABLED: 'true',
    MAIL_IMAP_GREETING_TIMEOUT_MS: '1500',
    MAIL_IMAP_SOCKET_TIMEOUT_MS: '2500',
    POSTERN_HTTP_TOKEN: TOKEN,
  })
})
afterAll(async () => {
  await postern.close()
  await proxy.close()
  await Promise.all([dovecot.stop(), ...fakes.map((fake) => fake.close())])
})

async function misadventures(): Promise<void> {
  const search = 'imap_search_messages'
  const accounts = ['default', 'wrong', 'echoing', 'mute', 'down', 'untrusted', 'cleartext', 'nobody']
  for (const account_id of accounts) {
    await postern.attempt('imap_verify_account', { account_id })
    await postern.attempt(search, { account_id, mailbox: 'INBOX' })
    const message_id = `imap:${account_id}:INBOX:1:1`
    await postern.attempt('imap_delete_message', { message_id, confirm: true })
    await postern.client.readResource({ uri: `imap://${account_id}/mailbox/INBOX/message/1/1` }).catch(() => undefined)
  }
  await postern.attempt('imap_list_accounts')
  await postern.attempt(search, { mailbox: 'INBOX', cursor: 'forged' })
  await postern.attempt(search, { mailbox: 'Nowhere', query: '"\\{5}' })
  await postern.attempt('imap_get_message', { message_id: 'nonsense' })
  proxy.cut()
  proxy.stall()
  await postern.attempt(search, { mailbox: 'INBOX' })
  proxy.flow()
  proxy.cutAfter(20)
  await postern.attempt(search, { mailbox: 'INBOX' })
  proxy.flow()
  await postern.call(search, { mailbox: 'INBOX' })
}

test('no secret in any form, after failures of every kind', async () => {
  await misadventures()
  const texts = await filesIn(postern.dataDir)
  const { stdout, stderr } = postern.output
  expect(stderr).toContain('a call failed')
  expect(texts.join('')).toContain('auth_failed')
  for (const text of [stdout, stderr, ...texts]) {
    for (const secret of [RIGHT, WRONG, TOKEN, `${RIGHT}-smtp`]) {
      for (const form of formsOf(secret, USER)) expect(text.includes(form), form).toBe(false)
    }
  }
})

test('the password did reach the server that it is for, and no other that cannot be trusted', () => {
  expect(fakes[0]?.heard()).toContain('Wrong-8402')
  const [, mute, cleartext] = fakes
  for (const fake of [mute, cleartext]) {
    for (const form of formsOf(RIGHT, USER)) expect(fake?.heard()).not.toContain(form)
  }
})
