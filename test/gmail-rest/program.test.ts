/** Mail that moves between a Gmail account and one of an ordinary mail server, whatever breaks on the way. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { type OtherClient, otherClient } from '../dovecot/other-client.ts'
import { at, letter, MIXED } from '../mail-source/messages.ts'
import { type Answer, ask } from '../policy/answers.ts'
import { type Agent, OPEN, type ProgramScene, startProgramScene } from './program-scene.ts'
import { ADDRESS } from './scene.ts'

const PASSWORD = 'correct horse'
const RECEIVED = at('2021-03-04T05:06:07Z')
const INSERTS = /^POST \/(upload\/)?gmail\/v1\/users\/me\/messages\?/

let scene: ProgramScene
let dovecot: Dovecot
let bob: OtherClient
let agent: Agent

beforeAll(async () => {
  dovecot = await startDovecot({ users: { bob: PASSWORD } })
  bob = await otherClient(dovecot.port, 'bob', PASSWORD)
  const server = { host: '127.0.0.1', port: dovecot.port, user: 'bob' }
  const auth = { type: 'password', secret_ref: 'secret://accounts/bob' }
  scene = await startProgramScene({
    accounts: [{ id: 'bob', ...server, auth }],
    secrets: { 'accounts/bob': PASSWORD },
    policy: { accounts: { g: OPEN, bob: OPEN } },
  })
  agent = await scene.agent('policy,imap')
})
afterAll(async () => {
  await scene.close()
  await bob.close()
  await dovecot.stop()
})

const say = (tool: string, args: object): Promise<Answer> => ask(agent.client, tool, { ...args })

interface Place {
  readonly account: string
  readonly folder: string
}

/** Moves it, and waits until the transfer is over, however long the first answer said. */
async function moved(source: Place & { readonly uid: number }, target: Place, by = agent): Promise<void> {
  const begun = await ask(by.client, 'move', { source, target })
  expect(begun).toMatchObject({ decision: 'ALLOW', tx_id: expect.any(String) })
  await expectDone(String(begun['tx_id']))
}

async function expectDone(tx_id: string): Promise<void> {
  await expect.poll(async () => (await say('get_transaction_status', { tx_id }))['state']).toBe('committed')
}

function inGmail(subject: string) {
  const found = scene.held().map((one) => ({ ...one, text: Buffer.from(one.raw, 'base64url').toString() }))
  return found.filter(({ text }) => text.includes(`Subject: ${subject}\r\n`))
}

async function atBobs(folder: string) {
  await bob.imap.mailboxOpen(folder)
  const all = (await bob.imap.search({ all: true }, { uid: true })) || []
  if (all.length === 0) return []
  return bob.imap.fetchAll(all.join(','), { uid: true, source: true, flags: true, internalDate: true }, { uid: true })
}

async function uidOf(place: Place, subject: string): Promise<number> {
  const { messages } = await say('list_messages', place)
  return messages.find((message) => message['subject'] === subject)?.uid ?? 0
}

const DATED = letter({ subject: 'Dated', from: 'Cleo <cleo@example.com>', to: ADDRESS, body: 'Grüße\r\n.\r\nbye' })

test('from an ordinary server to Gmail: once, with its flags, under its own date', async () => {
  const [uid = 0] = await bob.seed('INBOX', [{ raw: DATED, flags: ['\\Seen', '\\Flagged'], received: RECEIVED }])
  await scene.createLabel('From Bob')
  await moved({ account: 'bob', folder: 'INBOX', uid }, { account: 'g', folder: 'From Bob' })
  const [copy, ...others] = inGmail('Dated')
  expect(others).toEqual([])
  expect(copy?.text).toBe(DATED)
  expect(copy?.labelIds).toContain('STARRED')
  expect(copy?.labelIds).not.toContain('UNREAD')
  // Gmail takes the date of the letter; that it came by today it must not say.
  expect(Number(copy?.internalDate)).toBeLessThanOrEqual(at('2024-01-01T12:00:00Z') * 1000)
  expect(await atBobs('INBOX')).toEqual([])
  const there = await say('list_messages', { account: 'g', folder: 'From Bob' })
  expect(there.messages).toMatchObject([{ subject: 'Dated', flags: ['\\Seen', '\\Flagged'] }])
})

test('from Gmail to an ordinary server: once, with its flags and its time', async () => {
  await scene.deliver(MIXED, { labels: ['INBOX', 'STARRED'], received: RECEIVED })
  const place = { account: 'g', folder: 'INBOX' }
  await bob.imap.mailboxCreate('From Ada')
  await moved({ ...place, uid: await uidOf(place, 'parts') }, { account: 'bob', folder: 'From Ada' })
  // As everywhere at Google, an original that is carried away is put into the trash, where it can be found for a while.
  expect(inGmail('parts')).toMatchObject([{ labelIds: ['STARRED', 'TRASH'] }])
  expect((await say('list_messages', { account: 'g', folder: 'All Mail' })).messages).toMatchObject([
    { subject: 'Dated' },
  ])
  const [copy, ...others] = await atBobs('From Ada')
  expect(others).toEqual([])
  expect(copy?.source?.toString()).toBe(MIXED)
  expect([...(copy?.flags ?? [])].filter((flag) => flag !== '\\Recent').toSorted()).toEqual(['\\Flagged', '\\Seen'])
  expect(new Date(copy?.internalDate ?? 0).getTime()).toBe(RECEIVED * 1000)
})

test('where the answer of Gmail is lost, it is found there and not sent again', async () => {
  const [uid = 0] = await bob.seed('INBOX', [{ raw: letter({ subject: 'Lost answer' }) }])
  scene.proxy.fault({ on: INSERTS, what: { kind: 'drop_after' } })
  await moved({ account: 'bob', folder: 'INBOX', uid }, { account: 'g', folder: 'INBOX' })
  expect(inGmail('Lost answer')).toHaveLength(1)
  expect(await atBobs('INBOX')).toEqual([])
})

test('where the process is killed while Gmail takes it, the next one finishes', async () => {
  const [uid = 0] = await bob.seed('INBOX', [{ raw: letter({ subject: 'Killed' }) }])
  const doomed = await scene.agent('policy')
  scene.proxy.fault({ on: INSERTS, what: { kind: 'meanwhile', gmail: 'does', happens: () => doomed.kill() } })
  const source = { account: 'bob', folder: 'INBOX', uid }
  const target = { account: 'g', folder: 'INBOX' }
  await expect(doomed.client.callTool({ name: 'move', arguments: { source, target } })).rejects.toThrow()
  await scene.agent('policy')
  await expect.poll(async () => (await atBobs('INBOX')).length).toBe(0)
  expect(inGmail('Killed')).toHaveLength(1)
})
