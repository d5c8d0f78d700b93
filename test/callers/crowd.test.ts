/**
 * Sixty-four agents of eight callers. `POSTERN_CROWD_SECONDS` makes it last longer than a test run should.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CALLERS, crowd, startCrowdedScene } from './crowd.ts'
import { callOverHttp, inbox, subjectsOf } from './requests.ts'
import { canaryOf, type HttpServer, type Scene, tokenOf } from './scene.ts'

const SECONDS = Number(process.env['POSTERN_CROWD_SECONDS'] ?? 4)

let scene: Scene
let server: HttpServer

beforeAll(async () => {
  ;({ scene, server } = await startCrowdedScene())
})
afterAll(() => scene.close())

test('no answer is lost and none is another’s', { timeout: SECONDS * 1000 + 30_000 }, async () => {
  const { asked, answered, faults, byCaller } = await crowd(server.url, 64, SECONDS * 1000)
  console.info(`crowd: ${answered} of ${asked} answered in ${SECONDS} s`)
  expect(faults).toEqual([])
  expect(answered).toBe(asked)
  expect([...byCaller.keys()].sort()).toEqual(CALLERS)
  const calls = (await scene.records()).filter(({ caller_id }) => caller_id.startsWith('caller'))
  expect(calls).toHaveLength(asked)
  for (const id of CALLERS)
    expect(calls.filter(({ caller_id }) => caller_id === id)).toHaveLength(byCaller.get(id) ?? 0)
})

test('a flood of one caller does not keep another waiting until it is over', async () => {
  const [loud = '', quiet = ''] = CALLERS
  let left = 500
  const flood = Array.from({ length: 500 }, () =>
    callOverHttp(server.url, tokenOf(loud), 'list_messages', inbox(loud)).finally(() => {
      left -= 1
    }),
  )
  let [meanwhile, leftAtFirst] = [0, 0]
  while (left > 0) {
    expect(subjectsOf(await callOverHttp(server.url, tokenOf(quiet), 'list_messages', inbox(quiet)))).toEqual([
      canaryOf(quiet),
    ])
    if (left > 0) meanwhile += 1
    if (meanwhile === 1 && leftAtFirst === 0) leftAtFirst = left
  }
  for (const reply of await Promise.all(flood)) expect(subjectsOf(reply)).toEqual([canaryOf(loud)])
  // One at a time beside sixteen at a time: it gets its share, not the leftovers.
  expect(meanwhile).toBeGreaterThan(5)
  expect(leftAtFirst).toBeGreaterThan(100)
})
