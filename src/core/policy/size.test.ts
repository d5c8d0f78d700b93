import { expect, test } from 'vitest'
import { sizeOf, sizeWords } from './size.ts'

test.each<[string, number | undefined]>([
  ['20 MB', 20 * 1024 ** 2],
  ['20mb', 20 * 1024 ** 2],
  ['512 kB', 512 * 1024],
  [' 1GB ', 1024 ** 3],
  ['100 B', 100],
  ['100', undefined],
  ['', undefined],
  ['1.5 MB', undefined],
  ['-1 MB', undefined],
  ['MB', undefined],
  ['20 MiB', undefined],
])('%j is %j bytes', (text, bytes) => {
  expect(sizeOf(text)).toBe(bytes)
})

test.each<[number, string]>([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1024, '1 kB'],
  [20 * 1024 ** 2, '20 MB'],
  [1.21 * 1024 ** 2, '1.3 MB'],
  [3 * 1024 ** 3, '3 GB'],
])('%j bytes are %j', (bytes, words) => {
  expect(sizeWords(bytes)).toBe(words)
})
