import { describe, expect, test } from 'vitest'
import { type Declaration, inlineDeclarations, UNREAD } from './declarations.ts'
import type { StyleElement } from './matching.ts'
import { Rules } from './rules.ts'
import { readSheet } from './stylesheet.ts'

function written({ name, value, important }: Declaration): string {
  const text = value.map((token) => `${token.text}${token.unit ?? ''}${token.kind === 'function' ? '(' : ''}`).join('')
  return `${name}:${text}${important ? '!' : ''}`
}

/** `[body.x, [div#a, [p.b]], …]`: an element with its children. */
type Shape = readonly [string, ...Shape[]]

function element([name, ...inner]: Shape, parent?: StyleElement, index = 0): StyleElement {
  const attributes = new Map<string, string>()
  const [tag = '', id] = name.split('#')
  const [type = '', ...classes] = tag.split('.')
  if (classes.length > 0) attributes.set('class', classes.join(' '))
  if (id !== undefined) attributes.set('id', id)
  const children: StyleElement[] = []
  const made = { name: type, attributes, parent, children, index, hasText: false, isHtml: true }
  for (const [at, child] of inner.entries()) children.push(element(child, made, at))
  return made
}

function last(from: StyleElement): StyleElement {
  const child = from.children.at(-1)
  return child === undefined ? from : last(child)
}

const P = last(element(['html', ['body.a', ['div.b.c#d', ['p.e.f#g']]]]))

function applied(css: string, inline = ''): string[] {
  const rules = new Rules([readSheet(css)], false)
  return rules
    .appliedTo(P, inlineDeclarations(inline))
    .map(({ declaration, isCertain }) => `${isCertain ? '' : '?'}${written(declaration)}`)
}

describe('declarations of a style attribute', () => {
  test.each([
    ['COLOR : Red ;;; top:1PX', ['color:Red', 'top:1px']],
    ['--A:1;--a:2', ['--A:1', '--a:2']],
    ['a:1!important', ['a:1!']],
    ['a:1 ! /* x */ IMPORTANT', ['a:1!']],
    ['a:1 !importan\\74', ['a:1!']],
    ['a:1 !important x', []],
    ['a:1 !important!important', []],
    ['a:1 !\u0131mportant;b:2', ['b:2']],
    ['a 1;b:2', ['b:2']],
    ['a:1}b:2;c:3', ['c:3']],
    ['a:1];c:3', ['c:3']],
    ['a:(1;c:3);d:4', ['a:(1;c:3)', 'd:4']],
    ['a:(1;c:3', ['a:(1;c:3)']],
    ['a:"x\n;c:3', ['c:3']],
    ['a:url(x y);c:3', ['c:3']],
    ['a:{b} c:3;d:4', ['d:4']],
    ['x{a:1} c:3;d:4', ['d:4']],
    ['@media all{a:1} c:3', ['c:3']],
    ['@x;c:3', ['c:3']],
    ['<!-- a:1;b:2', ['b:2']],
    ['--a:{b} c;d:4', ['--a:{b} c', 'd:4']],
    ['--a: ;b:1', ['--a:', 'b:1']],
    ['\u00A0a:1;b:2', ['\u00A0a:1', 'b:2']],
    ['a:\u000B1', ['a:\u000B1']],
  ])('%j', (style, expected) => {
    expect(inlineDeclarations(style).map(written)).toEqual(expected)
  })

  test('one that is too long says so', () => {
    const long = inlineDeclarations('a:b;'.repeat(10_000))
    expect(long.at(-1)?.name).toBe(UNREAD)
    const rules = new Rules([], false)
    rules.appliedTo(P, long)
    expect(rules.exceeded).toBe(true)
  })
})

describe('error recovery of sheets', () => {
  test.each([
    ['p{a:1', ['a:1']],
    ['p{a:1}}p{b:2}p{c:3}', ['a:1', 'c:3']],
    ['p{a:1};p{b:2}p{c:3}', ['a:1', 'c:3']],
    ['<!-- p{a:1} --> p{b:2}', ['a:1', 'b:2']],
    ['@media all{<!-- p{a:1} --> p{b:2}}', []],
    ['@media all{;p{a:1}p{b:2}}', ['b:2']],
    ['p,:-moz-x{a:1}p{b:2}', ['b:2']],
    ['p,:is(:-moz-x){a:1}', ['?a:1', '?a:1']],
    ['p,::-webkit-x{a:1}p,::-moz-x{b:2}', ['a:1']],
    ['p:x{a:1}', ['?a:1']],
    ['p{a:1;{b:2}c:3}', ['a:1', 'c:3']],
    ['--x:{a:1}p{b:2}', ['b:2']],
    ['--x:hover{a:1}p{b:2}', ['b:2']],
    ['@x "y"{p{a:1}}p{b:2}', ['b:2', '?a:1']],
    ['@-moz-document url-prefix(){p{a:1}}p{b:2}', ['b:2']],
    ['@charset "x";p{b:2}', ['b:2']],
    ['@media print;p{b:2}', ['b:2']],
    ['@media (a{p{a:1}}){p{b:2}}p{c:3}', ['?b:2', 'c:3']],
    ['p{f(x){a:1}b:2}', ['?b:2']],
    ['p/**/{a:1}', ['a:1']],
    ['\u000Bp{a:1}p{b:2}', ['b:2']],
    ['p\u00A0{a:1}p{b:2}', ['b:2']],
    ['\\70{a:1}', ['a:1']],
    ['P{a:1}.E{b:2}#G{c:3}', ['a:1']],
    ['p{a:"x\n;b:2}', ['b:2']],
    ['p{a:url(x"y);b:2}', ['b:2']],
    ['p{x{b:1}a:b{b:1}a:b{b:1}c:2}', ['c:2']],
    ['p{a:{var(--x)};b:2}', ['a:{var(--x)}', 'b:2']],
    ['p{--x=1{b:1}c:2}', ['c:2']],
    ['p{--x:"y\n{b:1}c:2;d:3}', ['d:3']],
    ['p{color:red;a:hover{b:1}c:2}', ['color:red', 'c:2']],
  ])('%j', (css, expected) => {
    expect(applied(css)).toEqual(expected)
  })
})

describe('conditions, layers, nesting and order', () => {
  test.each([
    ['.e{a:1}p{a:2}*{a:3}#g{a:4}', ['a:3', 'a:2', 'a:1', 'a:4']],
    [':where(#g){a:1}p{a:2}:is(#d,p){a:3}', ['a:2', '?a:1', '?a:3']],
    [':not(#x){a:1}.e.f{a:2}', ['a:2', 'a:1']],
    [':nth-child(9){a:1}p.e{a:2}', ['a:2']],
    ['p,li:nth-child(2n+1){a:1}p,:nth-child("odd"){a:2}', ['a:1', '?a:2', '?a:2']],
    ['p{a:1!important}#g{a:2}', ['a:2', 'a:1!']],
    ['@layer x,y;@layer y{p{a:1}}@layer x{#g{a:2}}p{a:3}', ['a:3', '?a:1', '?a:2']],
    ['@layer x{p{a:1!important}}@layer y{p{a:2!important}}p{a:3!important}', ['a:3!', '?a:1!', '?a:2!']],
    ['@layer x{p{a:1}@layer y{#g{a:2}}}@layer x.y{p{a:3}}', ['?a:1', '?a:2', '?a:3']],
    ['@layer{p{a:1}}@layer{p{a:2}}', ['?a:1', '?a:2']],
    ['@supports (display:grid){p{a:1}}@supports (x:y){p{a:2}}@supports not (display:grid){p{a:3}}', ['a:1', '?a:2']],
    ['@supports x{p{a:1}}', ['?a:1']],
    ['@scope (.b){p{a:1}}@container (width){p{a:2}}@starting-style{p{a:3}}', ['?a:1', '?a:2', '?a:3']],
    ['@media (hover){p{a:1}}@media (x){p{a:2}}@media (-ms-x){p{a:3}}', ['?a:1', '?a:2']],
    ['div{p{a:1}> p{b:2}+ p{c:3}& p{d:4}p &{e:5}.a &{f:6}}', ['?a:1', '?b:2', '?c:3', '?d:4', '?f:6']],
    ['p{&.e{a:1}&.x{b:2}.b &{c:3}b:4;@media screen{d:5}@media print{e:6}f:7}', ['b:4', 'f:7', '?a:1', '?c:3', '?d:5']],
    ['#x,p{&{a:1}}.e{a:2}', ['a:2', '?a:1']],
    ['@scope (body){p{a:1}}@x{p{a:2}}p{a:3}', ['a:3', '?a:1', '?a:2']],
    ['div{:is(&:-moz-x,p){a:1}}.e.f{a:2}', ['a:2', '?a:1']],
    ['@namespace x "y";p{a:1}', ['?a:1']],
    ['@keyframes x{p{a:1}}@page{a:2}@font-face{p{a:3}}', []],
  ])('%j', (css, expected) => {
    expect(applied(css)).toEqual(expected)
  })

  test('the style attribute wins, important or not', () => {
    expect(applied('#g{a:1;b:2!important}@layer x{p{b:3!important}}', 'a:4;b:5!important;b:6')).toEqual([
      'a:1',
      'a:4',
      'b:6',
      'b:2!',
      '?b:3!',
      'b:5!',
    ])
  })

  test('a document without a name is no element', () => {
    const html = last(element(['', ['html']]))
    const names = new Rules(
      [readSheet(':root{a:1}* html{b:2}* > html{c:3}:not(p) html{d:4}html:first-child{e:5}')],
      false,
    )
      .appliedTo(html, [])
      .map(({ declaration }) => declaration.name)
    expect(names).toEqual(['a', 'e'])
  })

  test('an element may have the focus where the page asks for it', () => {
    const sheet = readSheet('p:focus{a:1}body:focus-within p{b:2}p:not(:focus){c:3}')
    const list = (): string[] =>
      new Rules([sheet], false)
        .appliedTo(P, [])
        .map(({ declaration, isCertain }) => `${isCertain ? '' : '?'}${declaration.name}`)
    expect(list()).toEqual(['c'])
    const input = { ...P, name: 'input', attributes: new Map([['autofocus', '']]), children: [] }
    const body = { ...element(['body', ['p']]), children: [input] }
    const asked = new Rules([sheet], false).appliedTo({ ...P, parent: body }, [])
    expect(asked.map(({ isCertain }) => isCertain)).toEqual([false, false, false])
  })

  test('what other windows or schemes have is told apart', () => {
    const rules = new Rules(
      [readSheet('@media (max-width:480px){p{a:1}}@media (max-width:700px){p{b:2}}p{c:3}')],
      false,
    )
    const list = (which: 'appliedTo' | 'otherwise'): string[] =>
      rules[which](P, []).map(({ declaration, isCertain }) => `${isCertain ? '' : '?'}${declaration.name}`)
    expect(list('appliedTo')).toEqual(['b', 'c'])
    expect(list('otherwise')).toEqual(['?a', '?b', 'c'])
    expect(rules.dependsOnWindow).toBe(true)
  })

  test('the media attribute is a condition like any other', () => {
    expect(readSheet('p{a:1}', 'print').rules).toEqual([])
    expect(readSheet('p{a:1}', 'screen, print').rules[0]?.condition).toEqual({ here: 2, anywhere: 2 })
    expect(readSheet('p{a:1}', '(max-width:480px)').rules[0]?.condition).toEqual({ here: 0, anywhere: 1 })
  })

  test('pseudo-elements are apart from their element', () => {
    const rules = new Rules([readSheet('p::before{content:"x"}p:after,p{a:1}p::-webkit-x{b:2}.x::before{c:3}')], false)
    expect([...rules.pseudo(P).keys()]).toEqual(['before', 'after', '-webkit-x'])
    expect(rules.appliedTo(P, [])).toHaveLength(1)
  })

  test('quirks mode ignores case in classes and ids', () => {
    const rules = new Rules([readSheet('.E{a:1}#G{b:2}.\u212A{c:3}')], true)
    expect(rules.appliedTo(P, [])).toHaveLength(2)
  })
})

describe('what else a sheet tells', () => {
  test('fonts, features, loads and asides', () => {
    const sheet = readSheet(
      '@import url(//x);@font-face{font-family:"Ab C";src:url(https://x)}@font-face{font-family:Ab C;src:url(data:font/woff2,x)}@property --x{}' +
        '@-webkit-keyframes x{from{a:1}}/* prose */p{content:"said";background:url("http://y")}@counter-style x{}',
    )
    expect([...sheet.fonts]).toEqual(['ab c'])
    expect([...sheet.features]).toEqual(['property', 'keyframes', 'counter-style'])
    expect(sheet.loads).toBe(3)
    expect(sheet.asides).toEqual(['said', ' prose '])
    expect(sheet.unknownContent).toBe(false)
  })

  test.each([
    ['@import "data:text/css,x";', true],
    ['@layer x;@import url("data:text/css,x") print;', true],
    ['p{}@import "data:text/css,x";', false],
    ['@import "https://x";', false],
    ['@import " da\\ata:text/css,x";', true],
    ['@import "cid:x";', true],
    ['@import "x.css";', false],
  ])('an import of unknown content: %j', (css, expected) => {
    expect(readSheet(css).unknownContent).toBe(expected)
  })
})

describe('bounds', () => {
  test.each([
    ['rules', 'p{a:1}'.repeat(30_000)],
    ['depth', 'p{'.repeat(100)],
    ['tokens', 'a '.repeat(200_000)],
    ['brackets', '('.repeat(1_000_000)],
    ['nested selectors', `${':is('.repeat(100_000)}p{a:1}`],
  ])('too many %s are told', (_, css) => {
    const sheet = readSheet(css)
    expect(sheet.complete).toBe(false)
    expect(new Rules([sheet], false).exceeded).toBe(true)
  })

  test('selectors that cost too much are told', () => {
    const deep = last(element(Array.from({ length: 300 }).reduce<Shape>((inner) => ['b', inner], ['p'])))
    const rules = new Rules([readSheet(`b:empty ${'b '.repeat(6)}p{a:1}`)], false)
    rules.appliedTo(deep, [])
    expect(rules.exceeded).toBe(true)
    expect(rules.appliedTo(deep, inlineDeclarations('a:1'))).toHaveLength(1)
  })
})
