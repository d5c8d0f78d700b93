import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loneThreadId, threadIdOf } from './thread.ts'
import { hashOf } from './thread-hash.ts'

const header = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).map(([name, value]) => ({ name, value }))

test('an answer, and an answer to it, belong to what they answer', () => {
  const first = threadIdOf(header({ 'Message-ID': '<a@x>' }))
  expect(threadIdOf(header({ 'Message-Id': '<b@x>', 'In-Reply-To': 'your mail <a@x> of Monday' }))).toBe(first)
  expect(threadIdOf(header({ 'MESSAGE-ID': '<c@x>', 'In-Reply-To': '<b@x>', References: '<a@x> <b@x>' }))).toBe(first)
  expect(threadIdOf(header({ 'Message-ID': '<d@x>' }))).not.toBe(first)
})

test('what the server says is what counts', () => {
  const one = threadIdOf(header({ 'Message-ID': '<a@x>' }), '17')
  expect(threadIdOf(header({ 'Message-ID': '<b@x>' }), '17')).toBe(one)
  expect(threadIdOf(header({ 'Message-ID': '<a@x>' }), '18')).not.toBe(one)
  expect(threadIdOf(header({ 'Message-ID': '<17>' }))).not.toBe(one)
})

test('a header that names no message is of no thread', () => {
  expect(threadIdOf(header({ Subject: 'hello', 'Message-ID': 'no brackets', References: '<>' }))).toBeUndefined()
  expect(loneThreadId('INBOX', 1, 2)).not.toBe(loneThreadId('INBOX', 1, 3))
})

test('ids are letters and digits, and differ where the texts do', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (one, other) => {
      expect(hashOf(one)).toMatch(/^[a-z2-7]{26}$/)
      expect(hashOf(one) === hashOf(other)).toBe(one === other)
    }),
  )
})

test('texts that differ in one character or in its place share no half of their ids', () => {
  const texts = Array.from({ length: 50_000 }, (_, at) => `message ${at}.${at % 7}@mail.example`)
  const ids = texts.map(hashOf)
  expect(new Set(ids.map((id) => id.slice(0, 13))).size).toBe(texts.length)
  expect(new Set(ids.map((id) => id.slice(13))).size).toBe(texts.length)
})
