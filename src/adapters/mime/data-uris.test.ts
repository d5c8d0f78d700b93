import { expect, test } from 'vitest'
import { withoutDataContent } from './data-uris.ts'

const LONG = 'iVBORw0KGgo'.repeat(100)
const without = (page: string): string => Buffer.from(withoutDataContent(Buffer.from(page))).toString()

test.each([
  ['a picture', `<img src="data:image/png;base64,${LONG}=" alt="b">c`, '<img src="data:image/png;base64," alt="b">c'],
  ['without quotes', `<img src=data:image/png;base64,${LONG} alt=b>`, '<img src=data:image/png;base64, alt=b>'],
  ['over lines', `<img src='data:image/gif;base64,${LONG}\r\n${LONG}'>`, "<img src='data:image/gif;base64,'>"],
  [
    'in a style',
    `<style>a{b:url(data:font/woff2;charset=utf-8;base64,${LONG})}`,
    '<style>a{b:url(data:font/woff2;charset=utf-8;base64,)}',
  ],
  ['two', `<img src="data:image/png;base64,${LONG}">a`.repeat(2), '<img src="data:image/png;base64,">a'.repeat(2)],
])('the content of %s is taken out', (_name, page, rest) => {
  expect(without(page)).toBe(rest)
})

test.each([
  ['a short one', '<img src="data:image/png;base64,iVBOR">'],
  ['a style sheet', `<link rel=stylesheet href="data:text/css;base64,${LONG}">`],
  ['text that quotes one', `<p>it begins with "data:image/png;base64,${LONG}"</p>`],
  ['text that only names the encoding', `<p>base64,${LONG}</p>`],
])('%s stays', (_name, page) => {
  expect(without(page)).toBe(page)
})

test('many beginnings are looked at in no time that grows with their number squared', () => {
  const page = `<${'"data:image/png;base64,'.repeat(50_000)}`
  expect(without(page)).toBe(page)
})
