import { expect, test } from 'vitest'
import { addFlags, readFlags, removeFlags, writeFlags } from './flags.ts'

test('system flags are written as the standard does, and none stands twice', () => {
  expect(addFlags(['\\Seen'], ['\\SEEN', '\\flagged', 'Todo', 'todo'])).toEqual(['\\Seen', '\\Flagged', 'Todo'])
})

test('a flag is removed whatever its case', () => {
  expect(removeFlags(['\\Seen', 'Todo'], ['TODO', '\\Answered'])).toEqual(['\\Seen'])
})

test('what is written is read again', () => {
  expect(readFlags(writeFlags(['\\Seen', '$Important']))).toEqual(['\\Seen', '$Important'])
  expect(readFlags(writeFlags([]))).toEqual([])
})

test.each(['\\Recent', '\\Other', 'a b', '(x', 'x]', 'ü', '', '%'])('%j is no flag', (flag) => {
  expect(() => addFlags([], [flag])).toThrow(expect.objectContaining({ code: 'invalid_input' }))
})
