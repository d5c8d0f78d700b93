/** Which of two addresses that look alike is marked: only the imitation. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { RecipientMark } from '../../src/core/outbox/entry.ts'
import type { Sending } from '../../src/core/outbox/sending.ts'
import type { Account } from '../../src/engine/accounts/accounts.ts'
import { marksFor } from '../../src/engine/outbox/marks.ts'
import { demoMessages } from '../../src/house/demo-mailbox.ts'

const NOW = Date.UTC(2026, 4, 6)
const DEMO = join(import.meta.dirname, '../../demo')
const never = new AbortController().signal
const GENUINE = 'agneta.forsell@atlas-house.example'
const IMITATION = 'agneta.forsell@xn--atlas-huse-ckj.example'

type Message = Parameters<ReturnType<typeof createLocalSource>['appendMany']>[0][number]

async function marks(
  messages: readonly Message[],
  to: string,
  known: readonly string[],
): Promise<readonly RecipientMark[]> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-genuine-'))
  const source = createLocalSource({ path: join(directory, 'mail.db'), account: 'demo', databases: databaseFiles })
  onTestFinished(async () => {
    await source.close()
    rmSync(directory, { recursive: true })
  })
  await source.appendMany([...messages], undefined, never)
  const account = { id: 'demo', address: 'maya@lindqvist.example', source } as unknown as Account
  const people = { to: [{ name: '', address: to }], cc: [], bcc: [] }
  const store = { writtenTo: async () => new Set<string>(), list: async () => [] }
  const read = [{ account: 'demo', readers: known }]
  return marksFor(people as unknown as Sending, account, { digest: 'd', now: NOW }, store, read, never)
}

test('the demo: the contact who was written to is genuine, the phishing address is marked', async () => {
  const messages = demoMessages(DEMO, NOW)
  const phish = messages
    .map(({ bytes }) => Buffer.from(bytes).toString())
    .find((text) => /^From:.*atlas-h(?!ouse)/m.test(text))
  const imitation = /^From:.*?<([^>]+)>/m.exec(phish ?? '')?.[1] ?? IMITATION
  const known = [GENUINE, imitation.toLowerCase()]
  expect(await marks(messages, GENUINE, known)).toEqual([])
  expect(await marks(messages, imitation, known)).toContainEqual({
    address: imitation,
    mark: 'look_alike',
    like: GENUINE,
  })
})

function received(from: string, extra = ''): Message {
  const bytes = Buffer.from(`${extra}From: ${from}\r\nTo: maya@lindqvist.example\r\nSubject: x\r\n\r\nx\r\n`)
  return { ...demoMessages(DEMO, NOW)[0], mailbox: 'INBOX', bytes } as Message
}

const DMARC = `Received: from x by mx.lindqvist.example\r\nAuthentication-Results: mx.lindqvist.example; dmarc=pass header.from=example.com\r\n`

test.each<[string, readonly Message[], boolean]>([
  ['nothing is known of either', [], true],
  [
    'more was received from it',
    [received('bob@example.com'), received('bob@example.com'), received('bob@exarnple.com')],
    false,
  ],
  [
    'less was received from it',
    [received('bob@example.com'), received('bob@exarnple.com'), received('bob@exarnple.com')],
    true,
  ],
  [
    'it was authenticated',
    [received('bob@example.com', DMARC), received('bob@exarnple.com'), received('bob@exarnple.com')],
    false,
  ],
])('an address is marked where %s', async (_what, messages, isMarked) => {
  const found = await marks(messages, 'bob@example.com', ['bob@exarnple.com', 'bob@example.com'])
  expect(found.some(({ mark }) => mark === 'look_alike')).toBe(isMarked)
})

test('nothing makes an imitation of the owner genuine', async () => {
  const messages = Array.from({ length: 3 }, () => received('maya@lindqvlst.example'))
  const found = await marks(messages, 'maya@lindqvlst.example', ['maya@lindqvlst.example'])
  expect(found).toContainEqual(expect.objectContaining({ mark: 'look_alike', like: 'maya@lindqvist.example' }))
})

test('mail of a longer address, or of one in a name, is no history of the shorter one', async () => {
  const sent = (to: string): Message => {
    const bytes = Buffer.from(`From: maya@lindqvist.example\r\nTo: ${to}\r\nSubject: x\r\n\r\nx\r\n`)
    return { ...received('x@x.example'), mailbox: 'Sent', bytes }
  }
  const genuine = [sent('bob@example.com'), received('bob@example.com', DMARC), received('bob@example.com')]
  const shorter = [...genuine, received('bob@example.co')]
  const known = ['bob@example.com']
  expect(await marks(shorter, 'bob@example.co', known)).toContainEqual(
    expect.objectContaining({ mark: 'look_alike', like: 'bob@example.com' }),
  )
  const named = Array.from({ length: 4 }, () => received('"bob@exarnple.com" <someone@else.example>'))
  const found = await marks([...genuine.slice(2), ...named], 'bob@exarnple.com', known)
  expect(found).toContainEqual(expect.objectContaining({ mark: 'look_alike', like: 'bob@example.com' }))
})
