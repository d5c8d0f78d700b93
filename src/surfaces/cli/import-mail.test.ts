import { expect, test } from 'vitest'
import type { ImportSummary } from '../../engine/import/tally.ts'
import { type ImportParts, importMail } from './import-mail.ts'

const choice = { path: 'a.mbox', account: 'old' }
const summary: ImportSummary = {
  read: 7,
  added: 5,
  duplicates: 2,
  deleted: 0,
  unreadable: new Map([['it has no header', 1]]),
  mailboxes: new Map([['INBOX', 5]]),
  resumedBytes: 0,
  bytes: 2048,
  seconds: 3,
}

function scene(run: ImportParts['run'], onStop: ImportParts['onStop'] = () => {}) {
  const words = { printed: '', complained: '' }
  const advise = (text: string): void => {
    words.printed += text
  }
  const terminal = {
    advise,
    print: (text: string) => {
      words.printed += text
    },
    complain: (text: string) => {
      words.complained += text
    },
  }
  return { words, parts: { run, advice: async () => ['Add this.'], terminal, interactive: false, onStop } }
}

test('an import sums up what it did', async () => {
  const { words, parts } = scene(async () => summary)
  expect(await importMail(choice, parts)).toBe(0)
  expect(words.printed).toMatch(/^Imported 5 messages from a\.mbox into account old .*\n {2}INBOX: 5\n/)
  expect(words.printed).toContain('Left out: it has no header (1).\n')
  expect(words.printed).toMatch(/\nAdd this\.\n$/)
  expect(words.complained).toBe('')
})

test('an import that is stopped says how to go on', async () => {
  const { words, parts } = scene(
    async (_choice, _onProgress, signal) => {
      signal.throwIfAborted()
      return summary
    },
    (stop) => stop(),
  )
  expect(await importMail(choice, parts)).toBe(1)
  expect(words).toEqual({ printed: '', complained: 'postern: stopped; run the same command to go on from here\n' })
})
