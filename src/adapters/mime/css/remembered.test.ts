import { expect, test } from 'vitest'
import { remembered } from './remembered.ts'

function counted(most: number, longest: number) {
  const read: string[] = []
  const words = remembered(
    (text) => {
      read.push(text)
      return text.split(' ')
    },
    most,
    longest,
  )
  return { read, words }
}

test('the same text is read once, and its answer is the same object', () => {
  const { read, words } = counted(10, 100)
  const first = words('a b')
  expect(words(' a b '.trim())).toBe(first)
  expect(first).toEqual(['a', 'b'])
  expect(read).toEqual(['a b'])
})

test('the oldest of too many is forgotten, the others are not', () => {
  const { read, words } = counted(2, 100)
  for (const text of ['a', 'b', 'c', 'c', 'b', 'a']) words(text)
  expect(read).toEqual(['a', 'b', 'c', 'a'])
})

test('a long text is read each time', () => {
  const { read, words } = counted(10, 3)
  for (const text of ['a b c', 'a b c']) expect(words(text)).toEqual(['a', 'b', 'c'])
  expect(read).toHaveLength(2)
})

test('half a character stays what it is', () => {
  expect(counted(10, 100).words('\ud83d x')).toEqual(['\ud83d', 'x'])
})
