import { afterEach, expect, test } from 'vitest'
import { Failure } from '../../core/failure.ts'
import type { EncodedText } from '../../ports/content-reader.ts'
import { Pool } from './pool.ts'
import { readTexts } from './read-texts.ts'

const drop = (): void => undefined
const silent = { debug: drop, info: drop, warn: drop, error: drop }
const pools: Pool[] = []

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()))
})

/** Reads them in workers that have this much memory, and says in how many jobs. */
function read(parts: readonly EncodedText[], heapMb: number, signal = new AbortController().signal) {
  const pool = new Pool(2, { heapMb, memoryMb: 1000, jobMs: 20_000 }, silent)
  pools.push(pool)
  const text = async (part: EncodedText, maxChars: number) => {
    const answer = await pool.run({ kind: 'text', part, maxChars }, [], signal)
    if (!('text' in answer)) throw new Error('no text')
    return answer
  }
  return readTexts(parts, 1000, pool, { text }, signal)
}

function encoded(text: string, type: EncodedText['type'] = 'text/plain'): EncodedText {
  const bytes = new TextEncoder().encode(text)
  return { bytes, encoding: '8bit', charset: 'utf-8', type, flowed: false, delSp: false, complete: true }
}

test('many are read in the order they came, whatever their size', async () => {
  const sizes = [0, 1, 300_000, 5, 200_000, 100_000]
  const parts = Array.from({ length: 200 }, (_, at) =>
    encoded(`text ${at}${' '.repeat(sizes[at % sizes.length] ?? 0)}`, at % 3 === 0 ? 'text/html' : 'text/plain'),
  )
  const answers = await read(parts, 64)
  expect(answers.map((one) => 'text' in one && one.text)).toEqual(parts.map((_, at) => `text ${at}`))
  expect(await read([], 64)).toEqual([])
})

test('one that breaks its worker fails alone', async () => {
  const answers = await read(
    [encoded('a'), encoded('<p style="color:red">x'.repeat(55_000), 'text/html'), encoded('b')],
    16,
  )
  expect(answers[1]).toBeInstanceOf(Failure)
  expect([answers[0], answers[2]]).toMatchObject([{ text: 'a' }, { text: 'b' }])
})

test('whoever stops has no answers', async () => {
  const stopping = new AbortController()
  const asked = read([encoded('a'), encoded('b')], 64, stopping.signal)
  stopping.abort(new Failure('cancelled', 'enough'))
  await expect(asked).rejects.toMatchObject({ code: 'cancelled' })
})
