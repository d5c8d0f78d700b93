/** Random selectors, media queries and style sheets, many of them broken, from a seed. */

export type Random = () => number

export function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

function one<T>(random: Random, list: readonly T[]): T {
  const found = list[Math.floor(random() * list.length)]
  if (found === undefined) throw new Error('an empty list')
  return found
}

const times = (random: Random, most: number): number => 1 + Math.floor(random() * most)

/** The page that selectors are tried on. */
export const PAGE = `<!DOCTYPE html><html lang=en class=A><head><title>t</title></head><body id=B class="a b">
<div id=one class="a"><p class="b c" title="Ab cd">x</p><p></p><p> </p><p><!-- c --></p><span class="x-y" lang=de>y</span></div>
<div id=two class="B a"><ul><li class=a>1<li id=LI class="b a">2<li>3<li class="c">4<li>5</ul><a href="#">l</a><a>n</a></div>
<table align=LEFT><tr><td class=a>1<td colspan=2>2<tr><td valign=Top>3</table><input type=TEXT disabled><h1 class="a\u00a0b">h</h1>
<svg class=a viewBox="0 0 1 1"><linearGradient id=g></linearGradient><a href="#"><text>s</text></a></svg><p class="\u212A k">k</p><em data-a="" data-B="x">e</em><em>f</em>
</body></html>`

const TYPES = [
  'p',
  'P',
  'div',
  'li',
  'td',
  'a',
  'svg',
  'linearGradient',
  'lineargradient',
  'h1',
  'em',
  '*',
  '*|p',
  'html',
  'body',
  'TEXT',
]
const CLASSES = ['a', 'b', 'c', 'A', 'B', 'x-y', 'k', '\\61', 'a\u00a0b', '\u212A', '-x', '--', '\\31']
const IDS = ['one', 'two', 'ONE', 'B', 'LI', 'g', 'o\\6ee']
const ATTRIBUTES = [
  '[class]', '[ class ]', '[CLASS]', '[title="Ab cd"]', '[title="ab cd" i]', '[title="ab cd"I]', '[title~=Ab]', '[title ~= cd]', '[title^=Ab]',
  '[title$="cd"]', '[title*="b c"]', '[title*=""]', '[lang|=de]', '[lang|=en]', '[align=left]', '[align=left s]', '[valign="top"]', '[type=text]', '[class=A]',
  '[class=a s]', '[data-a]', '[data-a=""]', '[data-b=x]', '[data-B=X]', '[data-b=x i]', '[viewBox]', '[viewbox]', '[href="#"]', '[href=#]', '[colspan="2"]',
  '[colspan=2]', '[class~="a"]', '[class~="a b"]', '[|class]', '[*|class]', '[x|class]', '[class ~ =a]', '[class', '[class=a x]', '[=a]', '[]',
] // biome-ignore format: a list
const NTH = [
  'odd', 'even', 'n', '2n', '2n+1', '2n + 1', '-n+3', '+n', '3', '+3', '-n', '0n+1', '2n-1', '2n- 1', 'n-1', 'N', 'ODD', '2N+1', '', '+ 2', '1.0', 'n+-1', '2 n', '1e0', '2n+1 of .a',
  '99999999999', '-0n+2', 'n+0', '-2n+5', '--n', '\\6e',
] // biome-ignore format: a list
const PLAIN = [
  ':root', ':empty', ':first-child', ':last-child', ':only-child', ':first-of-type', ':last-of-type', ':only-of-type', ':link', ':any-link', ':visited', ':hover', ':HOVER', ':active',
  ':focus', ':target', ':checked', ':disabled', ':enabled', ':bogus', ':-moz-any-link', ':-webkit-any-link', ':hover()', ':not', ':lang(en)', ':first-child()', ':scope', ':host', ':defined',
] // biome-ignore format: a list

function simple(random: Random, depth: number): string {
  const kind = random()
  if (kind < 0.35) return `.${one(random, CLASSES)}`
  if (kind < 0.45) return `#${one(random, IDS)}`
  if (kind < 0.65) return one(random, ATTRIBUTES)
  if (kind < 0.78) return one(random, PLAIN)
  if (kind < 0.88 || depth > 2)
    return `:nth-${one(random, ['child', 'last-child', 'of-type', 'last-of-type', 'CHILD'])}(${one(random, NTH)})`
  const name = one(random, ['is', 'where', 'not', 'not', 'NOT', 'has', 'matches', '-webkit-any'])
  return `:${name}(${random() < 0.05 ? '' : randomSelectors(random, depth + 1)})`
}

function compound(random: Random, depth: number): string {
  let text = random() < 0.5 ? one(random, TYPES) : ''
  const count = text === '' ? times(random, 2) : times(random, 3) - 1
  for (let at = 0; at < count; at++) text += simple(random, depth)
  return text
}

export function randomSelector(random: Random, depth = 0): string {
  let text = compound(random, depth)
  const more = Math.floor(random() * 3)
  for (let at = 0; at < more; at++) {
    text += one(random, [
      ' ',
      ' ',
      '  ',
      '>',
      ' > ',
      '+',
      ' ~ ',
      '/**/ /**/',
      ' >',
      '~',
      '\n',
      '\t',
      ' > > ',
      '\u00a0',
      '||',
    ])
    text += compound(random, depth)
  }
  if (depth === 0 && random() < 0.06)
    text += one(random, ['::before', ':after', '::-webkit-x', '::-moz-x', ' >', ',', '::before p', '::first-line.a'])
  return text
}

export function randomSelectors(random: Random, depth = 0): string {
  let text = randomSelector(random, depth)
  while (random() < 0.25) text += one(random, [',', ' , ', ',/**/']) + randomSelector(random, depth)
  return text
}

const FEATURES = [
  'width', 'min-width', 'max-width', 'width', 'min-width', 'max-width', 'MAX-width', 'device-width', 'min-device-width', 'max-device-width', 'height', 'min-height',
  'prefers-color-scheme', 'prefers-color-scheme', 'orientation', 'hover', 'color', 'bogus', '-ms-high-contrast', '-webkit-min-device-pixel-ratio', 'min--moz-device-pixel-ratio', 'm\\61x-width',
] // biome-ignore format: a list
const VALUES = ['600px', '599px', '601px', '37.5em', '37.4rem', '480PX', '700px', '450pt', '6in', '6.25in', '0', '1', '-1px', '60%', 'light', 'dark', 'LIGHT', 'bogus', '6e2px', '600.5px', '', '1 px', 'calc(1px)', '16cm', '"x"'] // biome-ignore format: a list

function feature(random: Random): string {
  const kind = random()
  const name = one(random, FEATURES)
  const operator = () => one(random, ['<', '<=', '>', '>=', '=', ' <= ', '< =', '=='])
  if (kind < 0.15) return name
  if (kind < 0.75) return `${name}${one(random, [':', ': ', ' : '])}${one(random, VALUES)}`
  if (kind < 0.9) return `width${operator()}${one(random, VALUES)}`
  return `${one(random, VALUES)} ${operator()} width ${operator()} ${one(random, VALUES)}`
}

function mediaCondition(random: Random, depth: number): string {
  const part = (): string =>
    depth < 2 && random() < 0.2
      ? `(${mediaCondition(random, depth + 1)})`
      : random() < 0.05
        ? 'f(x)'
        : `(${feature(random)})`
  if (random() < 0.2) return `${one(random, ['not', 'NOT', 'not/**/'])}${one(random, [' ', ' ', ' ', ''])}${part()}`
  let text = part()
  const word = one(random, ['and', 'or', 'AND'])
  while (random() < 0.3)
    text += `${one(random, [' ', ' ', ''])}${random() < 0.9 ? word : 'or'}${one(random, [' ', ' ', ' ', ''])}${part()}`
  return text
}

export function randomMedia(random: Random): string {
  const query = (): string => {
    if (random() < 0.5) return mediaCondition(random, 0)
    const modifier = one(random, ['', '', '', 'not ', 'only ', 'ONLY ', 'and '])
    const type = one(random, ['screen', 'screen', 'all', 'print', 'Screen', 'tty', 'bogus', 'or', 'not', 'scr/**/een'])
    return `${modifier}${type}${random() < 0.6 ? ` ${one(random, ['and', 'AND', 'or'])} ${mediaCondition(random, 1)}` : ''}`
  }
  let text = query()
  while (random() < 0.2) text += `,${random() < 0.1 ? '' : query()}`
  return text
}

const NAMES = ['order', 'ORDER', '--v', 'o\\72 der', '--v', 'bogus', '-x-order', '--V', 'order ', '/**/order']
const SOUP = ['}', ')', ']', '(', '[', '{', ';', ':', '"', "'", '\n', '"x\n', 'url(', 'url( x y)', '\\', '\\\n', '<!--', '-->', '/*', '*/', '@x', '@x;', '!', '&', ',', '#', '\u000b', '\u0000', '\f', 'order:5', '{}', ';;', '--v:{', 'a:b{c', '\u00a0'] // biome-ignore format: a list

function declaration(random: Random): string {
  const number = 1 + Math.floor(random() * 900)
  const value = one(random, [`${number}`, `${number}`, ` ${number} `, `/**/${number}`, `${number}.5`, `${number} 1`, `{${number}}`, `(${number}`, `${number})`, `"x`, `${number}/**/`, `+${number}`, `${number}\u00a0`]) // biome-ignore format: a list
  const important = random() < 0.15 ? one(random, ['!important', ' ! IMPORTANT', '!/**/important', '!importan\\74', '! important x', '!!important', '!important!important']) : '' // biome-ignore format: a list
  return `${one(random, NAMES)}${one(random, [':', ': ', ' :', ':', '='])}${random() < 0.8 ? number : value}${important}`
}

const EASY = ['p', '.a', '#one', 'div', 'li', '*', '.b', 'div p', 'ul > li', '.a.b', ':is(.a, p)', ':where(#one, .c)', 'li:nth-child(2n)', 'p, .c', ':not(p)', 'body *'] // biome-ignore format: a list

function nestedSelector(random: Random): string {
  return one(random, ['&', '& .b', '> p', '+ p', 'li', '.a &', '&.a', 'p&', ':is(&, p)', ':not(&)', 'a:link', '&:first-child', 'p, & li', '> > p', '&p']) // biome-ignore format: a list
}

function block(random: Random, depth: number): string {
  let text = ''
  for (let at = times(random, 3); at > 0; at--) {
    const kind = random()
    if (kind < 0.75 || depth > 3) text += declaration(random)
    else if (kind < 0.9) text += `${nestedSelector(random)}{${block(random, depth + 1)}}`
    else text += `${groupPrelude(random)}{${block(random, depth + 1)}}`
    text += one(random, [';', ';', ';', ';', ' ; ', ''])
    if (random() < 0.04) text += one(random, SOUP)
  }
  return text
}

function groupPrelude(random: Random): string {
  return one(random, ['@media all', '@media screen', '@media (min-width:500px)', '@MEDIA print', '@media (max-width:500px)', '@layer x', '@layer y', '@layer x.y', '@layer', '@media not print', '@supports (display:grid)', '@layer z,x', '@bogus', '@-moz-document', '@media (bogus)']) // biome-ignore format: a list
}

export function randomSheet(random: Random, depth = 0): string {
  let text = ''
  for (let at = times(random, 4); at > 0; at--) {
    const kind = random()
    if (kind < 0.7 || depth > 2) text += `${one(random, EASY)}${random() < 0.04 ? one(random, SOUP) : ''}{${block(random, 0)}}`
    else if (kind < 0.9) text += `${groupPrelude(random)}{${randomSheet(random, depth + 1)}}`
    else text += one(random, ['@layer y, x;', '@layer x.z, y;', '@charset "x";', '@bogus x;', '<!--', '-->', '@layer a b;', ':bogus{order:1}', 'p, :-moz-x{order:1}', '--v:{order:1}']) // biome-ignore format: a list
    if (random() < 0.06) text += one(random, SOUP)
  }
  return text
}

export function randomStyle(random: Random): string {
  let text = ''
  for (let at = times(random, 4); at > 0; at--) {
    text += declaration(random) + one(random, [';', ';', ';', ''])
    if (random() < 0.15) text += one(random, [...SOUP, 'p{order:1}', '@media all{order:1}', '&{order:2}'])
  }
  return text
}

const SIGNS = [
  ...'()[];:,.#&>+~*!"\'\\/\n <-_=|^$1a\u00e9%',
  ':is(',
  ':not(',
  '::before',
  '\\66 ',
  '\r\n',
  '\f',
  '\u000b',
]
const PIECES = ['{', '}', '@', '/*', '*/', 'url(', '@media ', '@layer ', '!important', '--x:', 'order:7', ' and ', 'not ', '<!--', '-->', '@scope{', '@container x{', '@namespace "z";', '@property --v{', '@keyframes k{', '@font-face{', '@starting-style{', '@layer;', '@layer a{', '@supports(', '@media(', '@media not(', '@supports not (', '@supports selector('] // biome-ignore format: a list

/** A text with a few of its characters removed, added or repeated. */
export function mutated(random: Random, text: string, extra: readonly string[] = PIECES): string {
  let made = text
  for (let count = times(random, 4); count > 0; count--) {
    const at = Math.floor(random() * made.length)
    const kind = random()
    const added = kind < 0.35 ? '' : kind < 0.9 ? one(random, [...SIGNS, ...extra]) : made.slice(at, at + 20)
    made = made.slice(0, at) + added + made.slice(added === '' ? at + 1 : at)
  }
  return made
}
