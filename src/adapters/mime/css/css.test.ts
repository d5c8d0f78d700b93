import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseColour, parseLegacyColour } from './colour.ts'
import { parseDeclarations } from './declaration.ts'
import { parseFontSize, parseLength } from './length.ts'
import { MAYBE, type Matchable, Matcher, NO, YES } from './match.ts'
import { mediaHolds } from './media.ts'
import { parseSelectors } from './selector.ts'
import { parseSheet } from './sheet.ts'

describe('colours', () => {
  test.each([
    ['#fff', [255, 255, 255, 1]],
    ['#01020380', [1, 2, 3, 128 / 255]],
    ['white', [255, 255, 255, 1]],
    ['rgb(1, 2, 3)', [1, 2, 3, 1]],
    ['rgb(0 50% 100% / 0)', [0, 127.5, 255, 0]],
    ['hsl(120, 100%, 50%)', [0, 255, 0, 1]],
    ['hsl(0 0% 100%)', [255, 255, 255, 1]],
    ['transparent', [0, 0, 0, 0]],
  ])('%s', (text, [red, green, blue, alpha]) => {
    expect(parseColour(text)).toEqual({ red, green, blue, alpha })
  })

  test.each(['', 'nonsense', '#ff', '#gggggg', 'rgb(1,2)', 'rgb(a,b,c)', '1px'])('%j is none', (text) => {
    expect(parseColour(text)).toBeUndefined()
  })

  test.each([
    ['ffffff', 255],
    ['#FFF', 255],
    [' White ', 255],
  ])('bgcolor=%j', (text, red) => {
    expect(parseLegacyColour(text)?.red).toBe(red)
  })
})

describe('lengths', () => {
  test.each([
    ['12px', 12],
    ['-1.5em', -15],
    ['0', 0],
    ['50%', 100],
    ['1in', 96],
    ['calc(1px + 2px * 3)', 7],
    ['min(4px, 2em)', 4],
    ['clamp(1px, 50%, 20px)', 20],
  ])('%s', (text, pixels) => {
    expect(parseLength(text, { fontSize: 10, whole: 200 })).toBeCloseTo(pixels)
  })

  test.each(['12', 'px', 'auto', '1 px', '1xx', ''])('%j is none', (text) => {
    expect(parseLength(text, { fontSize: 10, whole: 200 })).toBeUndefined()
  })

  test.each([
    ['small', 13],
    ['200%', 20],
    ['-3px', undefined],
    ['16', undefined],
    ['1', 1],
  ])('font-size:%s', (text, pixels) => {
    expect(parseFontSize(text, 10)).toBe(pixels)
  })
})

test.each([
  ['', true],
  ['screen', true],
  ['only screen and (max-width: 600px)', false],
  ['(min-width: 600px)', true],
  ['(max-width: 99999px)', true],
  ['print', false],
  ['not print', true],
  ['print, screen', true],
  ['(prefers-color-scheme: dark)', false],
  ['(width <= 600px)', false],
  ['screen yahoo', false],
])('@media %s', (query, holds) => {
  expect(mediaHolds(query)).toBe(holds)
})

test.each([
  ['a:b', [['a', 'b', false]]],
  [
    ' A : B !important; c:d',
    [
      ['a', 'b', true],
      ['c', 'd', false],
    ],
  ],
  [
    'a:url(x;y);b:c',
    [
      ['a', 'url(x;y)', false],
      ['b', 'c', false],
    ],
  ],
  [
    "a:';';b:c",
    [
      ['a', "';'", false],
      ['b', 'c', false],
    ],
  ],
  [
    'a:b/*;c:d*/;e:f',
    [
      ['a', 'b', false],
      ['e', 'f', false],
    ],
  ],
  ['{};a;:;a:b', [['a', 'b', false]]],
])('declarations %j', (css, expected) => {
  expect(parseDeclarations(css).map(({ name, value, important }) => [name, value, important])).toEqual(expected)
})

describe('selectors', () => {
  const element = (
    name: string,
    attributes: Record<string, string> = {},
    more: Partial<Matchable> = {},
  ): Matchable => ({
    name,
    attributes: new Map(Object.entries(attributes)),
    parent: undefined,
    previous: undefined,
    place: 1,
    placeOfType: 1,
    ...more,
  })
  const body = element('body', { class: 'mail' }, { parent: element('html') })
  const first = element('h1', { id: 'top' }, { parent: body })
  const second = element('p', { class: 'a b', lang: 'en-GB' }, { parent: body, previous: first, place: 2 })

  test.each([
    ['p', YES],
    ['*', YES],
    ['div', NO],
    ['.a.b', YES],
    ['.A', MAYBE],
    ['.c', NO],
    ['body p', YES],
    ['html > p', NO],
    ['html p.a', YES],
    ['div p', NO],
    ['.mail > p', YES],
    ['h1 + p', YES],
    ['#top ~ p', YES],
    ['h2 + p', NO],
    ['p:first-child', NO],
    ['p:first-of-type', YES],
    ['p:nth-child(2n)', YES],
    ['p:nth-child(-n+1)', NO],
    ['p:last-child', MAYBE],
    ['p:hover', NO],
    ['p:not(.a)', NO],
    ['p:not(.x)', YES],
    [':is(div, p.b)', YES],
    ['[lang|=en]', YES],
    ['[class~="b"]', YES],
    ['[class^=x]', NO],
    ['[lang="EN-gb" i]', YES],
    ['x, p', YES],
  ])('%s', (text, expected) => {
    const matcher = new Matcher()
    const found = parseSelectors(text).map((selector) => matcher.matches(selector, second))
    expect(Math.max(NO, ...found)).toBe(expected)
  })

  test.each(['', 'p >', '> p', 'p,,q', '.', '#', '[', 'p:', '.1(', 'a{b'])('%j is no selector', (text) => {
    expect(parseSelectors(text)).toEqual([])
  })

  test('pseudo-elements select nothing', () => {
    expect(parseSelectors('p::before, p:after')).toEqual([])
  })
})

describe('sheets', () => {
  const rules = (css: string) =>
    parseSheet(css).rules.map(({ declarations }) => declarations.map(({ value }) => value).join(';'))
  test.each([
    ['a{color:red}', ['red']],
    ['<!-- a{color:red} -->', ['red']],
    ['@import "x"; a{color:red}', ['red']],
    ['@media print{a{color:red}} b{color:blue}', ['blue']],
    ['@media screen{@supports (x){a{color:red}}}', ['red']],
    ['@font-face{color:red} @keyframes x{to{color:red}}', []],
    ['a{color:red', ['red']],
    ['} a{color:red}', []],
    ['a{color:red;b{color:blue}}', ['red', 'blue']],
    ['a{border:0}', []],
  ])('%s', (css, expected) => {
    expect(rules(css)).toEqual(expected)
  })

  test('what is written between the rules is given on', () => {
    const { asides, loads } = parseSheet(
      '/* note */ a:after{content:"said"} @import url(http://x/); b{background:url("//y")}',
    )
    expect(asides).toEqual(['said', ' note '])
    expect(loads).toBe(2)
  })

  test('whatever the sheet, it is read without an error', () => {
    const token = fc.oneof(
      fc.constantFrom(
        '{',
        '}',
        '(',
        ')',
        '[',
        ']',
        ';',
        ':',
        ',',
        '"',
        "'",
        '/*',
        '*/',
        '\\',
        '@media ',
        '@',
        '.a',
        '#b',
        'p',
        ' ',
        '>',
        '~',
        '&',
        ':not(',
        ':nth-child(',
        'url(',
      ),
      fc.constantFrom('display', 'none', '!important', 'color', 'var(--a)', '--a', '1px', 'calc(', '<!--', '-->'),
      fc.string({ maxLength: 5 }),
    )
    fc.assert(
      fc.property(fc.array(token, { maxLength: 80 }), (tokens) => {
        const css = tokens.join('')
        expect(parseSheet(css).complete).toBe(true)
        parseDeclarations(css)
        parseSelectors(css)
        mediaHolds(css)
        parseColour(css)
      }),
      { numRuns: 3000 },
    )
  })
})
