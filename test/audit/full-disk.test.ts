import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemDisk } from '../../src/adapters/audit/disk.ts'
import { verifyAuditDirectory } from '../../src/adapters/audit/verify.ts'
import { entry, HandClock, newDirectory, openLog, toolsOf } from './scene.ts'

const DAY = '2026-05-06'

/** A disk of 256 kB, where we may make one. */
function smallDisk(): string | undefined {
  const directory = newDirectory()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', directory], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', ['-l', directory]))
  return directory
}

test('a disk that is really full refuses records whole, and takes them again when there is room', async ({ skip }) => {
  const home = smallDisk()
  if (home === undefined) return skip('no right to mount a disk here')
  const directory = join(home, 'audit')
  const pace = { keyDirectory: home, checkpointEvery: { records: 16, ms: 3_600_000 } }
  const log = openLog(directory, new HandClock(`${DAY}T10:00:00.000Z`), systemDisk, pace)
  await log.append(entry('first'))
  const ballast = join(home, 'ballast')
  const { bavail, bsize } = statfsSync(home)
  writeFileSync(ballast, Buffer.alloc((bavail - 8) * bsize))
  const acknowledged = ['first']
  let refused = 0
  for (let i = 0; i < 200; i += 1) {
    await log.append(entry(`t${i}`)).then(
      () => acknowledged.push(`t${i}`),
      (error: unknown) => {
        refused += 1
        expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('no space is left') })
      },
    )
  }
  expect(refused).toBeGreaterThan(0)
  rmSync(ballast)
  await log.append(entry('after'))
  await log.close()
  expect(toolsOf(directory, DAY)).toEqual([...acknowledged, 'after'])
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', attestation: { unproved: 0 } })
})
