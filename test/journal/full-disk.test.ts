import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSpool } from '../../src/adapters/spool/spool.ts'
import { eventsIn, newHome, openJournal } from './scene.ts'
import { newTransfer, onward } from './transfers.ts'

/** A disk of 512 kB, where we may make one. */
function smallDisk(): string | undefined {
  const directory = newHome()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', directory], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', ['-l', directory]))
  return directory
}

function fill(home: string, pagesLeft: number): string {
  const ballast = join(home, 'ballast')
  const { bavail, bsize } = statfsSync(home)
  writeFileSync(ballast, Buffer.alloc((bavail - pagesLeft) * bsize))
  return ballast
}

test('a full disk refuses steps whole, and takes them again when there is room', async ({ skip }) => {
  const home = smallDisk()
  if (home === undefined) return skip('no right to mount a disk here')
  const path = join(home, 'wal.db')
  const journal = openJournal(path)
  const first = newTransfer()
  await journal.begin([first])
  const ballast = fill(home, 16)
  const told = { code: 'unavailable', stage: 'journal', message: expect.stringContaining('no space is left') }
  const written = [first.txId]
  let refused = 0
  for (let round = 0; round < 40; round += 1) {
    const group = Array.from({ length: 4 }, () => newTransfer())
    const endings = await Promise.allSettled(group.map((transfer) => journal.begin([transfer])))
    for (const [index, ending] of endings.entries()) {
      if (ending.status === 'fulfilled') written.push(group[index]?.txId ?? '')
      else {
        refused += 1
        expect(ending.reason).toMatchObject(told)
      }
    }
  }
  expect(refused).toBeGreaterThan(0)
  expect((await journal.list(1000)).map(({ txId }) => txId).toSorted()).toEqual(written.toSorted())
  rmSync(ballast)
  const step = onward(first)
  await journal.record(step === undefined ? [] : [step])
  await journal.close()
  const begun = eventsIn(path).filter((event) => event.step === 'begin')
  expect(begun.map(({ tx_id }) => tx_id).toSorted()).toEqual(written.toSorted())
  expect(await openJournal(path).get(first.txId)).toEqual(step?.after)
})

test('a message that finds no room on the disk is refused, and leaves nothing behind', async ({ skip }) => {
  const home = smallDisk()
  if (home === undefined) return skip('no right to mount a disk here')
  const spool = createSpool({ directory: join(home, 'spool') })
  const [small, large] = [newTransfer().txId, newTransfer().txId]
  await spool.write([{ txId: small, bytes: Buffer.alloc(100, 1) }])
  const told = { code: 'unavailable', stage: 'spool', message: expect.stringContaining('no space is left') }
  await expect(spool.write([{ txId: large, bytes: Buffer.alloc(1_000_000) }])).rejects.toMatchObject(told)
  expect(await spool.read(large)).toBeUndefined()
  expect(await spool.read(small)).toEqual(Buffer.alloc(100, 1))
  await spool.write([{ txId: large, bytes: Buffer.alloc(300_000, 2) }])
  expect(await spool.read(large)).toEqual(Buffer.alloc(300_000, 2))
})
