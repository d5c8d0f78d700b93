import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { AttachmentFiles } from '../../ports/attachment-files.ts'
import { fileLocks } from '../lock/file-locks.ts'
import { createAttachmentFiles } from './attachment-files.ts'

const HOUR_MS = 3_600_000

function newDirectory(): string {
  const home = mkdtempSync(join(tmpdir(), 'attachments-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return join(home, 'attachments')
}

const temporary = (directory: string): AttachmentFiles =>
  createAttachmentFiles({ directory, lifetime: { ms: HOUR_MS, locks: fileLocks } })

function age(path: string, ms: number): void {
  const then = (Date.now() - ms) / 1000
  utimesSync(path, then, then)
}

test('a file goes after an hour, and not before, whoever looks', async () => {
  const directory = newDirectory()
  const [ours, other] = [temporary(directory), temporary(directory)]
  const paths = await Promise.all([ours.save('a', new Uint8Array(3)), other.save('b', new Uint8Array(3))])
  const [mine = '', theirs = ''] = paths
  await ours.sweep()
  expect(paths.map((path) => existsSync(path))).toEqual([true, true])
  age(theirs, HOUR_MS - 60_000)
  age(mine, HOUR_MS + 1000)
  await other.sweep()
  expect(paths.map((path) => existsSync(path))).toEqual([false, true])
  age(theirs, HOUR_MS + 1000)
  await ours.sweep()
  expect(existsSync(theirs)).toBe(false)
})

test('closing takes away what was saved, and nothing of another that lives', async () => {
  const directory = newDirectory()
  const [ours, other] = [temporary(directory), temporary(directory)]
  const mine = await ours.save('a', new Uint8Array(3))
  const theirs = await other.save('b', new Uint8Array(3))
  writeFileSync(join(directory, 'not-ours.txt'), '')
  await ours.close()
  expect([mine, theirs].map((path) => existsSync(path))).toEqual([false, true])
  await other.close()
  expect(readdirSync(directory)).toEqual(['not-ours.txt'])
})

test('what a killed process has left goes with the next look; what a living one has, stays', async () => {
  const directory = newDirectory()
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../test/attachments/saver.ts'), directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const saved = await new Promise<string>((resolve) =>
    child.stdout.once('data', (text) => resolve(String(text).trim())),
  )
  const files = temporary(directory)
  await files.sweep()
  expect(existsSync(saved)).toBe(true)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
  await files.sweep()
  expect(readdirSync(directory)).toEqual([])
})

test('looking makes no directory', async () => {
  const directory = newDirectory()
  const files = temporary(directory)
  await files.sweep()
  await files.close()
  expect(existsSync(directory)).toBe(false)
})

test('a directory of the user keeps its files, and is not filled beyond what it may hold', async () => {
  const directory = newDirectory()
  const files = createAttachmentFiles({ directory, isKept: true, mostBytes: 1000 })
  const first = await files.save('a', new Uint8Array(600))
  age(first, 2 * HOUR_MS)
  await expect(files.save('b', new Uint8Array(600))).rejects.toMatchObject({ code: 'unavailable' })
  await files.sweep()
  await files.close()
  expect(existsSync(first)).toBe(true)
})
