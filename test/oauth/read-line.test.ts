import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { Failure } from '../../src/core/failure.ts'
import { readLine } from '../../src/house/read-line.ts'

test('one line is read from a stream, whole, bounded, and given up with the signal', async () => {
  const never = new AbortController().signal
  const stream = new PassThrough()
  const line = readLine(stream, never)
  stream.write('abc')
  stream.write('def\r\nmore')
  expect(await line).toBe('abcdef')
  const ended = new PassThrough()
  ended.end('without an end')
  expect(await readLine(ended, never)).toBe('without an end')
  const flood = new PassThrough()
  const bounded = readLine(flood, never)
  flood.write('x'.repeat(20_000))
  await expect(bounded).rejects.toMatchObject({ code: 'too_large' })
  const stop = new AbortController()
  const given = readLine(new PassThrough(), stop.signal)
  stop.abort(new Failure('cancelled', 'stopped'))
  await expect(given).rejects.toMatchObject({ code: 'cancelled' })
})

test('several questions are answered one after the other, also where the answers come at once', async () => {
  const never = new AbortController().signal
  const stream = new PassThrough()
  stream.write('yes\nno\n')
  expect([await readLine(stream, never), await readLine(stream, never)]).toEqual(['yes', 'no'])
  const third = readLine(stream, never)
  stream.write('later\n')
  expect(await third).toBe('later')
})
