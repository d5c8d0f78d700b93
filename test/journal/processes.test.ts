import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createJournal } from '../../src/adapters/journal/journal.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { isFinal } from '../../src/core/transfer/machine.ts'
import { eventsIn, newPath, openJournal } from './scene.ts'
import { newTransfer, onward } from './transfers.ts'

const WRITER = join(import.meta.dirname, 'writer.ts')

function start(command: string, words: readonly string[]) {
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said: string[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => said.push(line))
  const saying = (count: number) => expect.poll(() => said.length).toBeGreaterThanOrEqual(count)
  return { child, said, saying, ended: once(lines, 'close') }
}

const startNode = (file: string, ...words: string[]) =>
  start(process.execPath, [join(import.meta.dirname, file), ...words])

/** How far each transfer is known to have come. */
function acknowledged(said: readonly string[]): Map<string, number> {
  const steps = new Map<string, number>()
  // The first line is a process number.
  for (const line of said.slice(1)) {
    const [txId = '', count] = line.split(' ')
    if (count !== undefined) steps.set(txId, Math.max(steps.get(txId) ?? 0, Number(count)))
  }
  return steps
}

async function compare(path: string, steps: ReadonlyMap<string, number>): Promise<void> {
  const events = Map.groupBy(eventsIn(path), ({ tx_id }) => tx_id)
  const journal = openJournal(path)
  const there = new Map((await journal.list(1_000_000)).map((transfer) => [transfer.txId, transfer]))
  for (const [txId, count] of steps) {
    const found = events.get(txId) ?? []
    expect(there.has(txId)).toBe(true)
    expect(found.length).toBeGreaterThanOrEqual(count)
    // One step may have been written and not yet acknowledged.
    expect(found.length).toBeLessThanOrEqual(count + 1)
  }
  for (const [txId, transfer] of there) {
    let expected = newTransfer({ txId, createdAt: transfer.createdAt })
    for (let step = 1; step < (events.get(txId)?.length ?? 0); step += 1) expected = onward(expected)?.after ?? expected
    expect(transfer).toEqual(expected)
  }
}

test('whenever a process is killed, what it had acknowledged is there, and nothing is there by half', async () => {
  const path = newPath()
  const steps = new Map<string, number>()
  for (let round = 0; round < 6; round += 1) {
    const { child, said, saying, ended } = startNode('writer.ts', path, '1000000')
    await saying(20)
    await pause(Math.random() * 60)
    child.kill('SIGKILL')
    await ended
    for (const [txId, count] of acknowledged(said)) steps.set(txId, count)
  }
  expect(steps.size).toBeGreaterThan(6)
  await compare(path, steps)
})

test('four processes that write at once lose nothing, one of them killed', async () => {
  const path = newPath()
  const writers = Array.from({ length: 3 }, () => startNode('writer.ts', path, '40'))
  const victim = startNode('writer.ts', path, '1000000')
  await victim.saying(30)
  victim.child.kill('SIGKILL')
  await victim.ended
  for (const { said } of writers) await expect.poll(() => said.at(-1)).toBe('done')
  const steps = new Map([...writers, victim].flatMap(({ said }) => [...acknowledged(said)]))
  expect(steps.size).toBeGreaterThan(120)
  await compare(path, steps)
})

test('of many processes that want the same transfers of a dead one, each gets what no other has', async () => {
  const path = newPath()
  const owner = startNode('writer.ts', path, '60')
  await expect.poll(() => owner.said.at(-1)).toBe('done')
  const first = openJournal(path)
  const left = (await first.unfinished()).map(({ txId }) => txId)
  expect(left).toHaveLength(20)
  expect(await first.claim(left)).toEqual([])

  const claimers = Array.from({ length: 6 }, () => startNode('claimer.ts', path))
  for (const { saying } of claimers) await saying(1)
  owner.child.kill('SIGKILL')
  await expect.poll(() => owner.child.signalCode).toBe('SIGKILL')
  for (const { child } of claimers) child.stdin.write('go\n')
  for (const { saying } of claimers) await saying(2)
  const got = claimers.flatMap(({ said }) => (said[1] ?? '').split(' ').filter((id) => id !== ''))
  expect(got.toSorted()).toEqual(left.toSorted())
  expect(await first.claim(left)).toEqual([])

  for (const { child } of claimers) child.kill('SIGKILL')
  for (const { child } of claimers) await expect.poll(() => child.signalCode).toBe('SIGKILL')
  expect(await first.claim(left)).toEqual(left)
})

test('a killed process that its parent has not asked about yet is dead', async ({ skip }) => {
  if (process.platform !== 'linux') return skip('only here is it still listed with its start')
  const path = newPath()
  // What `exec` puts in the place of the shell never asks how the writer ended.
  const script = '"$0" "$1" "$2" 6 & exec sleep 600'
  const { said, saying } = start('sh', ['-c', script, process.execPath, WRITER, path])
  await saying(1)
  onTestFinished(() => void process.kill(Number(said[0]), 'SIGKILL'))
  await expect.poll(() => said.at(-1)).toBe('done')
  const journal = openJournal(path)
  const left = (await journal.unfinished()).map(({ txId }) => txId)
  expect(left).toHaveLength(2)
  expect(await journal.claim(left)).toEqual([])
  process.kill(Number(said[0]), 'SIGKILL')
  await expect.poll(() => journal.claim(left)).toEqual(left)
  // It is listed still: nobody has asked.
  expect(process.kill(Number(said[0]), 0)).toBe(true)
})

test('two journals of one process do not get in each other’s way, and what one gives back at its end the other has', async () => {
  const path = newPath()
  const first = createJournal({ path, locks: fileLocks, databases: databaseFiles })
  const second = openJournal(path)
  const transfer = newTransfer()
  await first.begin([transfer])
  expect(await second.claim([transfer.txId])).toEqual([])
  const step = onward(transfer)
  await expect(second.record(step === undefined ? [] : [step])).rejects.toThrow('not claimed here')
  await second.release([transfer.txId])
  expect(await second.claim([transfer.txId])).toEqual([])
  await first.close()
  expect(await second.claim([transfer.txId])).toEqual([transfer.txId])
  expect((await second.unfinished()).some(isFinal)).toBe(false)
})

test('from another container one that lives holds what it has, stopped or not, and one that was killed nothing', async ({
  skip,
}) => {
  const inside = ['--pid', '--fork', '--kill-child', '--mount-proc', process.execPath]
  if (spawnSync('unshare', [...inside, '--version']).status !== 0) return skip('no containers here')
  const path = newPath()
  const owner = startNode('writer.ts', path, '6')
  await expect.poll(() => owner.said.at(-1)).toBe('done')
  const claimed = async (): Promise<string> => {
    const { child, said, saying } = start('unshare', [...inside, join(import.meta.dirname, 'claimer.ts'), path])
    await saying(1)
    child.stdin.write('go\n')
    await saying(2)
    return said[1] ?? ''
  }
  expect(await claimed()).toBe('')
  owner.child.kill('SIGSTOP')
  expect(await claimed()).toBe('')
  owner.child.kill('SIGKILL')
  await expect.poll(() => owner.child.signalCode).toBe('SIGKILL')
  expect((await claimed()).split(' ')).toHaveLength(2)
})
