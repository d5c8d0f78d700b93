/** `/health` tells whether calls can be recorded, and nothing else. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { callOverHttp } from './requests.ts'
import { type HttpServer, type Scene, startScene, tokenOf } from './scene.ts'

let scene: Scene

beforeEach(async () => {
  scene = await startScene()
})
afterEach(() => scene.close())

async function health({ url }: HttpServer): Promise<[number, string]> {
  const response = await fetch(new URL('/health', url))
  return [response.status, await response.text()]
}

/** Whether a call is answered. */
async function answers({ url }: HttpServer): Promise<boolean> {
  const { payload } = await callOverHttp(url, tokenOf('ann'), 'get_caller_identity')
  return payload?.['caller_id'] === 'ann'
}

const WELL: [number, string] = [200, '{"ok":true}']
const ILL: [number, string] = [503, '{"ok":false}']

/** Waits for that answer: one is kept for a second. */
async function becomes(server: HttpServer, answer: [number, string]): Promise<void> {
  await expect.poll(() => health(server)).toEqual(answer)
}

test('an audit log that cannot be written is not healthy, until it can be again', async () => {
  const server = await scene.serve()
  expect(await health(server)).toEqual(WELL)
  expect(await answers(server)).toBe(true)
  const [audit, aside] = [join(scene.data, 'audit'), join(scene.data, 'aside')]
  renameSync(audit, aside)
  writeFileSync(audit, '')
  await becomes(server, ILL)
  rmSync(audit)
  renameSync(aside, audit)
  await becomes(server, WELL)
  expect(server.process.errors.match(/calls cannot be recorded/g)).toHaveLength(1)
})

test('asking leaves nothing in the audit log', async () => {
  const server = await scene.serve()
  expect(await answers(server)).toBe(true)
  const audit = join(scene.data, 'audit')
  const contents = (): string[] => {
    const names = readdirSync(audit).filter((name) => !name.startsWith('.'))
    return names.map((name) => `${name}: ${readFileSync(join(audit, name), 'utf8')}`)
  }
  const before = contents()
  for (let i = 0; i < 20; i += 1) expect(await health(server)).toEqual(WELL)
  expect(contents()).toEqual(before)
})

test('a full disk is not healthy, and calls are refused', async ({ skip }) => {
  const disk = mkdtempSync(join(tmpdir(), 'hdisk-'))
  onTestFinished(() => rmSync(disk, { recursive: true, force: true }))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=700', 'tmpfs', disk], { stdio: 'ignore' })
  } catch {
    return skip('no right to mount a disk here')
  }
  onTestFinished(() => void execFileSync('umount', ['-l', disk]))
  const server = await scene.serve(undefined, { POSTERN_DATA_DIR: disk })
  expect(await answers(server)).toBe(true)
  const ballast = join(disk, 'ballast')
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(ballast, Buffer.alloc(bavail * bsize))
  await becomes(server, ILL)
  // The last block of the day's file may hold a few more records.
  await expect.poll(() => answers(server), { interval: 1 }).toBe(false)
  rmSync(ballast)
  await becomes(server, WELL)
  expect(await answers(server)).toBe(true)
})
