/**
 * Sixty-four agents of eight callers. `POSTERN_CROWD_SECONDS` makes it last longer than a test run should.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RawProcess, script } from '../mcp/raw-process.ts'
import { CALLERS, crowd, startCrowdedScene } from './crowd.ts'
import { callOverHttp, subjectsOf } from './requests.ts'
import { canaryOf, type HttpServer, type Scene, tokenOf } from './scene.ts'
import { inbox } from './tool-calls.ts'

const SECONDS = Number(process.env['POSTERN_CROWD_SECONDS'] ?? 4)
const FLOOD = 500
const CALLS = 20

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

test('a flood of one caller does not make another wait behind it', async () => {
  const [loud = '', quiet = ''] = CALLERS
  const flood = new RawProcess([script('../callers/flooder.ts'), server.url, tokenOf(loud), loud, String(FLOOD)])
  await flood.until((output) => output.includes('flooding'))
  const ofLoud = async (): Promise<number> =>
    (await scene.records()).filter(({ caller_id }) => caller_id === loud).length
  const before = await ofLoud()
  for (let call = 0; call < CALLS; call++) {
    const reply = await callOverHttp(server.url, tokenOf(quiet), 'list_messages', inbox(quiet))
    expect(subjectsOf(reply)).toEqual([canaryOf(quiet)])
  }
  const meanwhile = (await ofLoud()) - before
  expect(flood.child.exitCode).toBeNull()
  flood.kill()
  await flood.exitCode()
  console.info(`flood: ${meanwhile} answers to the loud one beside ${CALLS} to the quiet one`)
  expect(meanwhile).toBeGreaterThan(0)
  // Behind the queue of the loud one, each call would wait for all that are under way.
  expect(meanwhile).toBeLessThan((CALLS * FLOOD) / 2)
})
