/** Bodies that eat memory or time harm nobody else: other calls are answered, and the process stays small. */
import { afterAll, describe, expect, test } from 'vitest'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { Failure } from '../../src/core/failure.ts'
import { BODY_BOMBS, PDF_BOMBS } from './bombs.ts'
import { encoded, patience, silent } from './reading.ts'

const MB = 1024 * 1024
const MAX_GROWTH = 300 * MB
const MAX_CHARS = 100_000

/** What the test itself holds is not the reader's: the largest growth while a job runs is. */
async function growthDuring(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 20)
  try {
    await work()
  } finally {
    clearInterval(watch)
  }
  return most - before
}

async function readOrFail(work: Promise<{ readonly text?: string; readonly html?: string }>): Promise<string> {
  try {
    const { text, html } = await work
    return text ?? html ?? ''
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    expect(['unreadable', 'timeout', 'too_large']).toContain(error.code)
    return ''
  }
}

describe('content bombs', () => {
  const reader = createContentReader(silent)
  afterAll(() => reader.close())

  const ordinary = async (): Promise<void> => {
    const { text } = await reader.text(encoded('<p>all is <b>well</b></p>', 'text/html'), 1000, patience)
    expect(text).toBe('all is well')
  }

  test.each(BODY_BOMBS)('$id', async ({ make, type, encoding = '8bit', charset = 'utf-8', flowed = false }) => {
    const part = encoded(make(), type, { encoding, charset, flowed })
    const grown = await growthDuring(async () => {
      const [text, html] = await Promise.all([
        readOrFail(reader.text(part, MAX_CHARS, patience)),
        readOrFail(reader.html(part, MAX_CHARS, patience)),
        ordinary(),
      ])
      expect(Math.max(text.length, html.length)).toBeLessThanOrEqual(MAX_CHARS)
    })
    expect(grown).toBeLessThan(MAX_GROWTH)
    await ordinary()
  })

  test.each(PDF_BOMBS)('PDF: $id', async ({ make }) => {
    const bytes = make()
    const grown = await growthDuring(async () => {
      const reading = readOrFail(reader.pdf(bytes, MAX_CHARS, patience))
      await ordinary()
      expect((await reading).length).toBeLessThanOrEqual(MAX_CHARS)
    })
    expect(grown).toBeLessThan(MAX_GROWTH)
    await ordinary()
  })
})
