import { expect, test } from 'vitest'
import { Failure } from '../../core/failure.ts'
import type { MirroredFolder, MirrorReading } from '../../ports/mirror-store.ts'
import { ServerPatience } from '../accounts/server-patience.ts'
import { freshFolders } from './fresh-folders.ts'

const never = new AbortController().signal
const KNOWN: MirroredFolder = {
  mailbox: 'INBOX',
  state: { uidvalidity: 1, uidNext: 2, messages: 1 },
  filledDownTo: 1,
  kept: 1,
  indexed: 1,
  depth: 'full',
  authservId: 'mx.example',
  checkedAt: 0,
}
const store = { folder: async () => KNOWN } as unknown as MirrorReading
const patience = new ServerPatience({ elapsed: () => 0 }, 20)
const failing = (failure: Failure, authservId = 'mx.example') =>
  freshFolders({ freshen: () => Promise.reject(failure) }, store, { depth: 'full', authservId }, patience)

test('where the server cannot be reached, what was known last answers and says so', async () => {
  const found = await failing(new Failure('unavailable', 'no connection')).fresh(['INBOX'], never)
  expect(found.get('INBOX')?.asOf).toBe('1970-01-01T00:00:00.000Z')
})

test('where the mirror cannot be written, the server is asked', async () => {
  const full = new Failure('unavailable', 'no space is left on its disk', { stage: 'mirror' })
  expect(await failing(full).fresh(['INBOX'], never)).toEqual(new Map())
})

test('what was judged by the word of another server does not answer', async () => {
  const away = new Failure('unavailable', 'no connection')
  expect(await failing(away, 'other.example').fresh(['INBOX'], never)).toEqual(new Map())
})

test('where the server does not answer, what was known last answers soon, and the question is called off', async () => {
  let stopped = false
  let asked = 0
  const hanging = (_mailbox: string, signal: AbortSignal): Promise<MirroredFolder | undefined> =>
    new Promise((_resolve, reject) => {
      asked += 1
      signal.addEventListener('abort', () => {
        stopped = true
        reject(signal.reason)
      })
    })
  const wanted = { depth: 'full', authservId: 'mx.example' } as const
  const { fresh } = freshFolders({ freshen: hanging }, store, wanted, patience)
  expect((await fresh(['INBOX'], never)).get('INBOX')?.asOf).toBe('1970-01-01T00:00:00.000Z')
  expect(stopped).toBe(true)
  // Nobody waits for it a second time at once.
  expect((await fresh(['INBOX'], never)).get('INBOX')?.asOf).toBe('1970-01-01T00:00:00.000Z')
  expect(asked).toBe(1)
})
