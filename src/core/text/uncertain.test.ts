import { expect, test } from 'vitest'
import { uncertainFields, uncertainPage } from './uncertain.ts'

test('uncertain text comes a page at a time, and the rest is counted with where it begins', () => {
  const text = `${'a'.repeat(1999)}😀${'b'.repeat(2500)}`
  const first = uncertainPage(text)
  expect(first).toEqual({ text: 'a'.repeat(1999), next: { offset: 1999, remaining: 2502 } })
  const second = uncertainPage(text, first?.next?.offset)
  expect(second).toEqual({ text: `😀${'b'.repeat(1998)}`, next: { offset: 3999, remaining: 502 } })
  expect(uncertainPage(text, second?.next?.offset)).toEqual({ text: 'b'.repeat(502) })
  expect(uncertainPage(text, 9999)).toBeUndefined()
})

test('JSON answers name it beside the body', () => {
  expect(uncertainFields(undefined)).toEqual({})
  expect(uncertainFields({ text: 'x' })).toEqual({ uncertain_text: 'x' })
  expect(uncertainFields({ text: 'x', next: { offset: 1, remaining: 5 } })).toEqual({
    uncertain_text: 'x',
    uncertain_next_offset: 1,
    uncertain_remaining: 5,
  })
})
