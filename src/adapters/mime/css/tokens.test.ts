import { describe, expect, test } from 'vitest'
import { type Token, tokenize } from './tokens.ts'

function written({ kind, text, unit, isId }: Token): string {
  if (kind === 'hash') return isId === true ? `id:${text}` : `hash:${text}`
  return kind === 'dimension' ? `dimension:${text}|${unit}` : kind === text ? kind : `${kind}:${text}`
}

const CASES: readonly (readonly [css: string, tokens: readonly string[]])[] = [
  ['a/**/b', ['ident:a', 'ident:b']],
  ['a /* x */ b', ['ident:a', 'space: ', 'ident:b']],
  ['a/*', ['ident:a']],
  ['/*/ a */b', ['ident:b']],
  ['d\\69splay', ['ident:display']],
  ['\\000064 x', ['ident:dx']],
  ['\\0', ['ident:\uFFFD']],
  ['\\d800', ['ident:\uFFFD']],
  ['\\110000', ['ident:\uFFFD']],
  ['a\\', ['ident:a\uFFFD']],
  ['a\\\nb', ['ident:a', 'delim:\\', 'space: ', 'ident:b']],
  ['"a\\\nb"', ['string:ab']],
  ['"a\nb"', ['bad-string:a', 'space: ', 'ident:b', 'string:']],
  ['"a\fb', ['bad-string:a', 'space: ', 'ident:b']],
  ['"a', ['string:a']],
  ['"a\\', ['string:a']],
  ["'a\"b'", ['string:a"b']],
  ['"\\22 b"', ['string:"b']],
  ['url(a)', ['url:a']],
  ['URL( a )', ['url:a']],
  ['url(a', ['url:a']],
  ['u\\72l(a)', ['url:a']],
  ['url("a")', ['function:url', 'string:a', ')']],
  ['url(a b)c', ['bad-url:', 'ident:c']],
  ['url(a\\) b)c', ['bad-url:', 'ident:c']],
  ['url(a\\)b)', ['url:a)b']],
  ['url(a"b)', ['bad-url:']],
  ['1.5e3px', ['dimension:1.5e3|px']],
  ['1e3', ['number:1e3']],
  ['1e', ['dimension:1|e']],
  ['1.', ['number:1', 'delim:.']],
  ['.5', ['number:.5']],
  ['+.5%', ['percentage:+.5']],
  ['1PX', ['dimension:1|px']],
  ['1\u212A', ['dimension:1|\u212A']],
  ['1-', ['number:1', 'delim:-']],
  ['1--x', ['dimension:1|--x']],
  ['-a', ['ident:-a']],
  ['--', ['ident:--']],
  ['-1', ['number:-1']],
  ['- a', ['delim:-', 'space: ', 'ident:a']],
  ['#a', ['id:a']],
  ['#1', ['hash:1']],
  ['#-', ['hash:-']],
  ['# a', ['delim:#', 'space: ', 'ident:a']],
  ['@a', ['at:a']],
  ['@1', ['delim:@', 'number:1']],
  ['<!---->', ['cdo:<!--', 'cdc:-->']],
  ['<!-', ['delim:<', 'delim:!', 'delim:-']],
  ['a\u000Bb', ['ident:a', 'delim:\u000B', 'ident:b']],
  ['a\u00A0b', ['ident:a\u00A0b']],
  ['a\0b', ['ident:a\uFFFDb']],
  ['a\r\nb', ['ident:a', 'space: ', 'ident:b']],
  ['f([', ['function:f', '[', ']', ')']],
  ['([)]', ['(', '[', ')', ']', ')']],
]

describe('tokens', () => {
  test.each(CASES)('%j', (css, tokens) => {
    expect(tokenize(css).list.map(written)).toEqual(tokens)
  })

  test('brackets are paired, stray ones are not', () => {
    const { list, pair } = tokenize('f(a[)]b))')
    expect(list.map((token, at) => `${token.text}${pair[at]}`)).toEqual([
      'f6',
      'a-1',
      '[4',
      ')-1',
      ']2',
      'b-1',
      ')0',
      ')-1',
    ])
  })

  test('more tokens than are read are told', () => {
    expect(tokenize('a b c', 2).complete).toBe(false)
    expect(tokenize('a b c', 5).complete).toBe(true)
  })
})
