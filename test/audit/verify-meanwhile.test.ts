/** A verification that goes on while old files are deleted for their age. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { systemDisk } from '../../src/adapters/audit/disk.ts'
import { verifyAuditDirectory } from '../../src/adapters/audit/verify.ts'
import { DAY_MS, dayOf } from '../../src/core/audit/day.ts'
import { entry, HandClock, newDirectory, openLog } from './scene.ts'

const DAYS = 5
const FIRST = Date.parse('2026-05-01T12:00:00.000Z')
const day = (index: number): string => dayOf(FIRST + index * DAY_MS)

/** Done once, when the checkpoints of that day have been read and its lines have not. */
const meanwhile = vi.hoisted((): { at: string; act(): void } => ({ at: '', act: () => undefined }))

vi.mock('../../src/adapters/audit/checkpoint-reader.ts', async (original) => {
  const real = await original<typeof import('../../src/adapters/audit/checkpoint-reader.ts')>()
  const readCheckpoints: typeof real.readCheckpoints = async (directory, of, key) => {
    const found = await real.readCheckpoints(directory, of, key)
    if (of === meanwhile.at) {
      meanwhile.at = ''
      meanwhile.act()
    }
    return found
  }
  return { ...real, readCheckpoints }
})

let audit: string

/** One record on each day, signed. */
beforeEach(async () => {
  const home = newDirectory()
  audit = join(home, 'audit')
  mkdirSync(audit, { mode: 0o700 })
  const clock = new HandClock(new Date(FIRST).toISOString())
  const log = openLog(audit, clock, systemDisk, { keyDirectory: home })
  for (let index = 0; index < DAYS; index += 1) {
    clock.set(new Date(FIRST + index * DAY_MS).toISOString())
    await log.append(entry(`day ${index}`))
  }
  await log.close()
})

/** Its checkpoints first, as they go. */
function remove(...days: readonly number[]): void {
  for (const index of days) for (const end of ['ckpt', 'jsonl']) rmSync(join(audit, `${day(index)}.${end}`))
}

test.each([
  ['the file that is about to be read', 0, [0]],
  ['the file that is about to be read and those before it', 2, [0, 1, 2]],
  ['files that are to be read later, and those before them', 1, [0, 1, 2, 3]],
])('%s: what is left is intact', async (_name, at, gone) => {
  Object.assign(meanwhile, { at: day(at), act: () => remove(...gone) })
  const found = await verifyAuditDirectory(audit)
  expect(found).toMatchObject({ kind: 'intact', files: DAYS - gone.length, firstDay: day(gone.length) })
})

test('a file that is taken from between two others is missing all the same', async () => {
  Object.assign(meanwhile, { at: day(1), act: () => remove(2) })
  expect(await verifyAuditDirectory(audit)).toMatchObject({ kind: 'broken', problem: 'missing_file' })
})
