/**
 * The program, killed while it hands a letter to Gmail: at most one arrives, and what may have left is found among what was sent or
 * left to a person.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gmailOffice } from '../hijack/gmail-office.ts'
import { EMMA } from '../hijack/post-office.ts'
import { type Agent, type House, openHouses } from '../hijack/scene.ts'

const SEND = /\/messages\/send/

/**
 * What becomes of the next request to send: the token for it never comes, it stays half-sent, nothing is done about it, it is done and
 * never answered, or it is done and the line is cut.
 */
type Fate = 'without a token' | 'half-sent' | 'held' | 'unanswered' | 'cut'

let office: Awaited<ReturnType<typeof gmailOffice>>
let door: Awaited<ReturnType<typeof openDoor>>
let tokens: Awaited<ReturnType<typeof openDoor>>
let houses: ReturnType<typeof openHouses>
let house: House
let agent: Agent

beforeAll(async () => {
  office = await gmailOffice()
  door = await openDoor(office.env['POSTERN_GMAIL_ENDPOINT'] ?? '')
  tokens = await openDoor(new URL(office.env['IMAP_MCP_OAUTH_TOKEN_URL'] ?? '').origin)
  houses = openHouses(office)
  house = await houses.house()
  agent = await newAgent()
})
afterAll(async () => {
  await houses.close()
  await Promise.all([door.close(), tokens.close()])
  await office.close()
})

function newAgent(): Promise<Agent> {
  return house.agent('always', {
    sets: 'outbox',
    env: { POSTERN_GMAIL_ENDPOINT: door.url, IMAP_MCP_OAUTH_TOKEN_URL: `${tokens.url}/token` },
  })
}

async function openDoor(target: string) {
  let fate: Fate | undefined
  let reached = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const met = SEND.test(url) || url.startsWith('/token') ? fate : undefined
    // What is not read stays with whoever sends it, once the line is full.
    if (met === 'half-sent') return void request.once('readable', () => reached.resolve())
    const body = await buffer(request)
    if (met === 'held' || met === 'without a token') return reached.resolve()
    const passed = ['authorization', 'content-type'].flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value] as [string, string]] : []
    })
    const init = { method, headers: passed, ...(body.length > 0 && { body: new Uint8Array(body) }) }
    const answer = await fetch(`${target}${url}`, init)
    const text = await answer.text()
    if (met !== undefined) reached.resolve()
    if (met === 'unanswered') return
    if (met === 'cut') return void request.socket.destroy()
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? 'application/json' })
    response.end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Resolves when that has happened. */
    arrange(next: Fate | undefined): Promise<void> {
      fate = next
      reached = Promise.withResolvers<void>()
      return reached.promise
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** More than the line between two processes holds. */
const LONG = 'A long letter. '.repeat(30_000)

async function approved(subject: string, body = 'Once.') {
  const letter = { account: EMMA, to: 'bob@example.com', subject, body }
  const { text } = await agent.say('send_email', letter)
  const id = /Pending_Approval\/(\S+)\.md/.exec(text)?.[1] ?? ''
  // A file that could not show all of a long message approves nothing.
  if (body === LONG) await house.postern('approve', id, '--yes')
  else await house.move(`${id}.md`, 'Pending_Approval', 'Approved')
  return { letter, id }
}

async function stateOf(id: string): Promise<unknown> {
  return (JSON.parse((await house.postern('outbox', id, '--json')).stdout) as { state: unknown }).state
}

test.each([
  { fate: 'without a token', leaves: 0, ends: 'needs_operator' },
  { fate: 'half-sent', leaves: 0, ends: 'needs_operator' },
  { fate: 'held', leaves: 0, ends: 'needs_operator' },
  { fate: 'unanswered', leaves: 1, ends: 'sent' },
] as const)('killed while the request is $fate: it is $ends', async ({ fate, leaves, ends }) => {
  const { letter, id } = await approved(`Killed while ${fate}`, fate === 'half-sent' ? LONG : undefined)
  const before = office.left().length
  const isAtToken = fate === 'without a token'
  // One that has sent before has a token.
  if (isAtToken) {
    await agent.close()
    agent = await newAgent()
  }
  const reached = (isAtToken ? tokens : door).arrange(fate)
  const asked = agent.say('send_email', letter).catch(() => 'killed')
  await reached
  await agent.kill()
  await asked
  for (const one of [door, tokens]) void one.arrange(undefined)
  agent = await newAgent()
  await expect.poll(() => stateOf(id)).toBe(ends)
  const again = await agent.say('send_email', letter)
  expect(again.text).toMatch(ends === 'sent' ? /^Email sent successfully/ : /^Error sending email: nobody knows/)
  expect(office.left()).toHaveLength(before + leaves)
  expect(await house.files(ends === 'sent' ? 'Done' : 'Needs_Operator')).toContain(`${id}.md`)
  expect(await house.files('Approved')).toEqual([])
})

test('an answer that is lost is looked for, and never asked for again', async () => {
  const { letter, id } = await approved('A lost answer')
  const before = { left: office.left().length, asked: office.asked() }
  void door.arrange('cut')
  const said = await agent.say('send_email', letter)
  void door.arrange(undefined)
  expect(said.text).toMatch(/^Email sent successfully/)
  expect(await stateOf(id)).toBe('sent')
  expect((await agent.say('send_email', letter)).text).toMatch(/^Rejected: already sent \(/)
  expect(office.left()).toHaveLength(before.left + 1)
  expect(office.asked()).toBe(before.asked + 1)
})
