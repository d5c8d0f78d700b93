/** `postern console` beside an agent's own server: what one process does, the page of another shows at once. */
import { userInfo } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { surroundings } from '../imap/postern.ts'
import { type Agent, type Scene, startScene } from '../outbox/scene.ts'
import { recordsIn } from './scene.ts'
import { type ServedProcess, startServed } from './served.ts'
import { type EventReader, Visitor } from './visitor.ts'

let scene: Scene
let agent: Agent
let served: ServedProcess
let ada: Visitor
let page: EventReader

beforeAll(async () => {
  scene = await startScene()
  agent = await scene.agent()
  served = await startServed(['console', '--port', '0', '--no-open'], surroundings(scene.env, scene.directory))
  ada = new Visitor(served.origin)
  await ada.signIn(served.link)
  page = await ada.events()
})
afterAll(async () => {
  page.close()
  await served.stop()
  await scene.close()
})

const LETTER = { to: 'Bob <bob@example.com>', subject: 'Lunch on Friday', body: 'Shall we say noon?' }

test('from an agent’s wish to a letter that has arrived, by a click', async () => {
  await page.until('hello')
  expect((await agent.say('send_email', LETTER)).isError).toBe(true)
  await page.until('outbox')
  const [{ id, digest }] = (await ada.get('/console/api/outbox')).body.letters
  expect(await ada.post(`/console/api/outbox/${id}/approve`, { digest })).toMatchObject({ status: 200 })
  expect((await agent.say('send_email', LETTER)).isError).toBe(false)
  expect(scene.sink.messages).toHaveLength(1)
  const record = recordsIn(`${scene.directory}/audit`).find(({ tool }) => tool === 'outbox_approve')
  expect(record).toMatchObject({ caller_id: userInfo().username, caller_addr: '127.0.0.1', reason: 'console' })
  await expect
    .poll(async () => (await ada.get(`/console/api/outbox/${id}`)).body)
    .toMatchObject({ state: 'sent', approval: { via: 'console' } })
})

test('an approval that another process makes is seen', async () => {
  await agent.say('send_email', { ...LETTER, subject: 'Supper on Sunday' })
  const [{ id }] = (await ada.get('/console/api/outbox')).body.letters
  // Whatever was still on its way is heard before.
  const fresh = await ada.events()
  await fresh.until('hello')
  expect(await scene.postern('approve', id, '--yes')).toMatchObject({ code: 0 })
  await fresh.until('outbox')
  expect((await ada.get(`/console/api/outbox/${id}`)).body).toMatchObject({
    state: 'approved',
    approval: { via: 'command' },
  })
  fresh.close()
})

test('accounts say whether they are connected, and can be reached for again', async () => {
  const before = (await ada.get('/console/api/accounts')).body.accounts
  expect(before).toMatchObject([{ id: 'default', provider: 'imap-standard', canSend: true }])
  const { status, body } = await ada.post('/console/api/accounts/default/reconnect', {})
  expect([status, body]).toMatchObject([200, { state: 'connected', connections: { open: 1 } }])
})

test('a server that is away is said so, in our words', async () => {
  await scene.dovecot.pause()
  // One that has no connection yet.
  const fresh = await startServed(['console', '--port', '0', '--no-open'], surroundings(scene.env, scene.directory))
  const visitor = new Visitor(fresh.origin)
  await visitor.signIn(fresh.link)
  const { status, body } = await visitor.post('/console/api/accounts/default/reconnect', {})
  expect([status, body.error.code]).toEqual([503, 'unavailable'])
  expect((await visitor.get('/console/api/accounts')).body.accounts).toMatchObject([{ state: 'not_connected' }])
  expect(await fresh.stop()).toBe(0)
})
