/** Ten letters an hour, whoever counts them: one process, four, or the next one. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { SendEnding } from '../../src/core/send-ending.ts'
import { SEND_LIMIT } from '../../src/engine/outbox/parts.ts'
import { minutes } from '../../src/surfaces/tools/outbox/texts.ts'
import { closeSenders } from '../smtp/desk.ts'
import { type SmtpProxy, startProxy } from '../smtp/proxy.ts'
import { type Sink, startSink } from '../smtp/sink.ts'
import { type Agent, type Scene, startScene } from './scene.ts'
import { byHand, NOW, openPlace, type Place, WISH } from './vault-place.ts'

const HOUR = 60 * 60 * 1000
const MINUTE = 60 * 1000
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

describe('the limit of the outbox', () => {
  let sink: Sink
  let proxy: SmtpProxy
  let refusal: number | undefined
  const places: Place[] = []
  beforeAll(async () => {
    sink = await startSink({ refuse: ({ at }) => (at === 'mail' && refusal ? { code: refusal } : undefined) })
    proxy = await startProxy(sink.port)
  })
  afterEach(async () => {
    refusal = undefined
    proxy.arrange()
    for (const place of places.splice(0)) await place.close()
  })
  afterAll(async () => {
    await closeSenders()
    await proxy.close()
    await sink.close()
  })

  let letters = 0
  async function newPlace(directory?: string, ...accounts: string[]): Promise<Place> {
    const where = directory === undefined ? {} : { directory }
    const whose = accounts.length === 0 ? {} : { accounts }
    const place = await openPlace({ port: proxy.port, ...where, ...whose, more: { limit: SEND_LIMIT } })
    place.rules = { ...place.rules, approval: 'never' }
    places.push(place)
    return place
  }
  const another = (place: Place, account = 'work'): Promise<SendEnding> => {
    letters += 1
    return place.ask({ ...WISH, account, subject: `Letter ${letters}` })
  }
  const sendTen = async (place: Place): Promise<void> => {
    for (let count = 0; count < 10; count += 1) expect(await another(place)).toMatchObject({ kind: 'sent' })
  }
  const limited = (waitMs: number) => ({ kind: 'limited', most: 10, waitMs })

  test('lets ten go in any hour, and says to the minute when there is room', async () => {
    const place = await newPlace(undefined, 'work', 'home')
    for (let count = 0; count < 10; count += 1) {
      place.now = NOW + count * MINUTE
      expect(await another(place)).toMatchObject({ kind: 'sent' })
    }
    const before = sink.messages.length
    expect(await another(place)).toEqual(limited(51 * MINUTE))
    expect(minutes(51 * MINUTE)).toBe('51 minutes')
    place.now += 1
    expect(await another(place)).toEqual(limited(51 * MINUTE - 1))
    expect(minutes(51 * MINUTE - 1)).toBe('51 minutes')
    place.now = NOW + HOUR - 1
    expect(await another(place)).toEqual(limited(1))
    expect(minutes(1)).toBe('1 minute')
    // Each account has its own.
    expect(await another(place, 'home')).toMatchObject({ kind: 'sent' })
    place.now = NOW + HOUR
    expect(await another(place)).toMatchObject({ kind: 'sent' })
    expect(await another(place)).toEqual(limited(MINUTE))
    expect(sink.messages).toHaveLength(before + 2)
  })

  test('holds when the clock is set back', async () => {
    const place = await newPlace()
    await sendTen(place)
    for (const back of [1, HOUR, 100 * HOUR]) {
      place.now = NOW - back
      expect(await another(place)).toEqual(limited(HOUR + back))
    }
    place.now = NOW + HOUR
    expect(await another(place)).toMatchObject({ kind: 'sent' })
  })

  test('does not count what certainly was not sent', async () => {
    const place = await newPlace()
    for (const code of [451, 550, 451, 550, 451, 550, 451, 550, 451, 550, 451]) {
      refusal = code
      await expect(another(place)).rejects.toMatchObject({ code: code === 451 ? 'unavailable' : 'rejected' })
    }
    refusal = undefined
    await sendTen(place)
    expect(await another(place)).toMatchObject({ kind: 'limited' })
  })

  test('counts what may have been sent', async () => {
    const place = await newPlace()
    proxy.arrange({ at: /\r\n\.\r\n$/, does: 'cut', always: true })
    for (let count = 0; count < 10; count += 1) expect(await another(place)).toMatchObject({ kind: 'needs_operator' })
    expect(await another(place)).toEqual(limited(HOUR))
  })

  test('holds for whoever opens the outbox next', async () => {
    const first = await newPlace()
    await sendTen(first)
    const second = await newPlace(first.directory)
    expect(await another(second)).toEqual(limited(HOUR))
  })
})

describe('four processes', () => {
  let scene: Scene
  let agents: Agent[]
  beforeAll(async () => {
    scene = await startScene()
    agents = await Promise.all(times(4, () => scene.agent()))
  })
  afterAll(() => scene.close())

  const LIMITED = /^Rejected: Rate limit exceeded \(10 emails\/hour\)\. Next send available in (?:59|60) minutes\.$/

  test('send ten together, and so do those that come after them', async () => {
    await mkdir(join(scene.vault, 'Approved'), { recursive: true })
    const letters = times(16, (at) => ({ to: `bob-${at}@example.com`, subject: 'Often', body: 'Again.' }))
    for (const { to } of letters) {
      const text = byHand('type: email_send', `to: ${to}`, 'status: approved')
      await writeFile(join(scene.vault, 'Approved', `${to}.md`), text)
    }
    const ask = (at: number) => agents[at % agents.length]?.say('send_email', letters[at] ?? {})
    const said = await Promise.all(letters.map((_, at) => ask(at)))
    expect(said.filter((one) => one?.text.startsWith('Email sent successfully'))).toHaveLength(10)
    expect(said.filter((one) => LIMITED.test(one?.text ?? ''))).toHaveLength(6)
    expect(scene.sink.messages).toHaveLength(10)
    // What could not be sent is still approved.
    expect(await scene.files('Approved')).toHaveLength(6)

    for (const agent of agents) process.kill(agent.pid, 'SIGKILL')
    agents = await Promise.all(times(2, () => scene.agent()))
    const again = await Promise.all(letters.slice(0, 6).map((_, at) => ask(at)))
    expect(again.filter((one) => one?.text.startsWith('Email sent'))).toEqual([])
    expect(scene.sink.messages).toHaveLength(10)
  })
})
