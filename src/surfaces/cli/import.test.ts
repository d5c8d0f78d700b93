import { expect, test } from 'vitest'
import { Failure } from '../../core/failure.ts'
import type { ImportProgress, ImportSummary } from '../../engine/import/tally.ts'
import { type ImportCommand, importCommand, summaryLines } from './import.ts'
import { bytesText, durationText, progressLine, progressNote } from './import-progress.ts'

const HALF: ImportProgress = { bytesDone: 5e9, bytesTotal: 1e10, messages: 52_310, perSecond: 2100, secondsLeft: 180 }
const SUMMARY: ImportSummary = {
  read: 1500,
  added: 1200,
  duplicates: 300,
  deleted: 0,
  unreadable: new Map(),
  mailboxes: new Map([['INBOX', 1200]]),
  resumedBytes: 0,
  bytes: 2e9,
  seconds: 61,
}

/** Runs the command with progress reported at these times, and gives what it wrote. */
async function watch(isTerminal: boolean, times: readonly number[], run?: ImportCommand['run']) {
  const written: string[] = []
  const printed: string[] = []
  let now = 0
  const command: ImportCommand = {
    path: 'old.mbox',
    account: 'archive',
    screen: { isTerminal, columns: 120, write: (text) => void written.push(text) },
    print: (line) => void printed.push(line),
    elapsed: () => now,
    run: async (onProgress) => {
      for (const time of times) {
        now = time
        onProgress(HALF)
      }
      return run === undefined ? SUMMARY : run(onProgress)
    },
  }
  const failure = await importCommand(command).catch((error: unknown) => error)
  return { screen: written.join(''), printed, failure }
}

test('a terminal sees one line, redrawn ten times a second at most, and gone at the end', async () => {
  const { screen, printed } = await watch(true, [0, 10, 20, 100, 150, 200])
  expect(screen.match(/50 %/g)).toHaveLength(3)
  expect(screen).not.toContain('\n')
  expect(screen.endsWith('\r\u001B[2K')).toBe(true)
  expect(printed[0]).toBe('Imported 1,200 messages from old.mbox into account archive (2.0 GB in 61 s).')
})

test('a log gets a line every few seconds', async () => {
  const { screen } = await watch(false, [0, 1000, 4999, 5000, 7000, 10_000])
  expect(screen.split('\n')).toEqual([progressNote(HALF), progressNote(HALF), ''])
})

test('a failure clears the line and goes on to whoever called', async () => {
  const failing = new Failure('invalid_input', 'no mail')
  const { screen, printed, failure } = await watch(true, [0], () => Promise.reject(failing))
  expect(failure).toBe(failing)
  expect(screen.endsWith('\r\u001B[2K')).toBe(true)
  expect(printed).toEqual([])
})

test('the line says share, bytes, messages, rate and what is left', () => {
  expect(progressLine(HALF, 120)).toBe(
    '████████████░░░░░░░░░░░░  50 %  5.0 GB of 10.0 GB  52,310 messages  2,100/s  3 min left',
  )
})

test.each([10, 20, 40, 60, 80])('the line fits into %d columns', (columns) => {
  expect(progressLine(HALF, columns).length).toBeLessThan(columns)
})

test('the summary tells of everything that was not imported', () => {
  const lines = summaryLines('old.mbox', 'archive', {
    ...SUMMARY,
    deleted: 2,
    unreadable: new Map([['a file is empty', 3]]),
    mailboxes: new Map(Array.from({ length: 23 }, (_, at) => [`box ${at}`, 100 - at])),
    resumedBytes: 1e9,
  })
  expect(lines[0]).toBe('Went on after 1.0 GB that an earlier run had imported.')
  expect(lines).toContain('  box 0: 100')
  expect(lines).toContain('  and 3 more')
  expect(lines.slice(-3)).toEqual([
    '300 of 1,500 were there already and were left as they are.',
    '2 messages had been deleted before and were left out.',
    'Left out: a file is empty (3).',
  ])
})

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1500, '1.5 kB'],
  [10e9, '10.0 GB'],
])('%d bytes read as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})

test.each([
  [0.2, 'under a second'],
  [45, '45 s'],
  [600, '10 min'],
  [9000, '2.5 h'],
])('%d seconds read as %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})
