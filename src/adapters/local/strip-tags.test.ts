import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stripTags } from './strip-tags.ts'

test.each([
  ['blocks part words', '<p>one</p><p>two</p>', ' one  two '],
  ['inline tags join letters', 'w<b>or</b>d', 'word'],
  [
    'styles, scripts and comments are gone',
    'a<style>p{x}</style><!-- <b>no</b> -->b<script>x("</p>")</script>c',
    'a b c',
  ],
  ['references are resolved', 'Gr&uuml;&szlig;e &#26481;&#x4eac; &amp;amp; &bogus;', 'Grüße 東京 &amp; &bogus;'],
  ['a lone bracket is a character', '3 < 4 and 5 > 4', '3 < 4 and 5 > 4'],
  ['what is never closed ends the text', 'before <a href="x', 'before '],
])('%s', (_what, html, text) => {
  expect(stripTags(html)).toBe(text)
})

test('any text is stripped without an error', () => {
  const piece = fc.constantFrom('<', '>', '<!--', '-->', '<style>', '</style', '</', '&#', '&amp', 'x', '"', '<p ')
  fc.assert(fc.property(fc.array(piece), (pieces) => typeof stripTags(pieces.join('')) === 'string'))
})

test.each(['<', '<p', '<!--', '<style>', '</', '<style></', '&#', '<title><style>'])(
  'a megabyte of %j is no trap',
  (piece) => {
    expect(stripTags(piece.repeat(1_000_000 / piece.length)).length).toBeLessThanOrEqual(1_000_000)
  },
)
