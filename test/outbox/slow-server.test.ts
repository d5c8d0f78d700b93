/** A message whose server takes longer than a call has: the call ends, the sending goes on, and the message leaves once. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { closeSenders } from '../smtp/desk.ts'
import { type Sink, startSink } from '../smtp/sink.ts'
import { openPlace, PERSON, type Place, WISH } from './vault-place.ts'

let sink: Sink
let place: Place
const held = Promise.withResolvers<void>()
const asked = Promise.withResolvers<void>()

beforeAll(async () => {
  sink = await startSink({
    pause: async () => {
      asked.resolve()
      await held.promise
    },
  })
  place = await openPlace({ port: sink.port })
})
afterAll(async () => {
  held.resolve()
  await place.close()
  await closeSenders()
  await sink.close()
})

test('the call is told that nobody knows yet, and the message is sent once', async () => {
  const waiting = await place.ask(WISH)
  const id = waiting.kind === 'waiting' ? waiting.id : ''
  await place.desk.approve(id, PERSON)
  const call = new AbortController()
  const sending = place.outbox.send(place.request(WISH), call.signal)
  await asked.promise
  call.abort()
  expect(await sending).toMatchObject({ kind: 'sending', id })
  expect((await place.ask(WISH)).kind).toBe('under_way')
  held.resolve()
  await vi.waitFor(async () => expect((await place.parts.store.get(id))?.state.kind).toBe('sent'))
  expect(sink.messages).toHaveLength(1)
})
