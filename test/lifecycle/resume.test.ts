/** What a process that has ended, or one that may not send, has left unfinished is taken up by those that run. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { keepResuming } from '../../src/house/postern.ts'

test('at the start and then every minute', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-resume-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const journal = join(directory, 'wal.db')
  writeFileSync(journal, '')
  mkdirSync(join(directory, 'attachments'))
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())

  const counts = { transfers: 0, outbox: 0, files: 0 }
  const counting = (what: keyof typeof counts) => async (): Promise<void> => {
    counts[what] += 1
  }
  const stop = keepResuming({
    journal,
    directory,
    transfers: { resume: counting('transfers') },
    outbox: { resume: counting('outbox') },
    files: { sweep: counting('files') },
  })
  await vi.advanceTimersByTimeAsync(59_999)
  expect(counts).toEqual({ transfers: 1, outbox: 1, files: 1 })
  await vi.advanceTimersByTimeAsync(1)
  expect(counts).toEqual({ transfers: 2, outbox: 2, files: 2 })
  stop()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(counts).toEqual({ transfers: 2, outbox: 2, files: 2 })
})
