import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { visibleText } from './visible-text.ts'

const textOf = (html: string): string => visibleText(html, 100_000).text
const kindsOf = (html: string): string[] => visibleText(html, 100_000).warnings.map(({ kind }) => kind)

describe('layout', () => {
  test.each([
    ['paragraphs', '<p>one</p><p>two</p>', 'one\n\ntwo'],
    ['lines', 'one<br>two<br><br><br>three', 'one\ntwo\n\nthree'],
    ['blanks', '  one \n\t two<b> three</b> <i>four</i>', 'one two three four'],
    ['words that tags touch', 'a<b>b</b>c <span>d</span>', 'abc d'],
    ['divs', '<div>one<div>two</div></div>three', 'one\ntwo\nthree'],
    ['headings', '<h1>Title</h1>text', 'Title\n\ntext'],
    ['lists', '<ul><li>one<li>two<ul><li>deep</ul><li>three</ul>', '- one\n- two\n  - deep\n- three'],
    [
      'numbered lists',
      '<ol start=3><li>three</li><li value=7>seven</li><li>eight</ol>',
      '3. three\n7. seven\n8. eight',
    ],
    ['table rows', '<table><tr><td>a<td>b</tr><tr><td>c</td><td><p>d</p></td></tr></table>', 'a | b\nc | d'],
    [
      'tables in tables',
      '<table><tr><td><table><tr><td>a</td></tr><tr><td>b</td></tr></table></td></tr></table>',
      'a\nb',
    ],
    [
      'quotes',
      'hi<blockquote>said<blockquote>before</blockquote></blockquote>bye',
      'hi\n\n> said\n>\n> > before\n\nbye',
    ],
    ['preformatted text', '<pre>a  b\n  c</pre>', 'a  b\n  c'],
    ['rules', 'a<hr>b', 'a\n---\nb'],
    ['links', '<a href="https://a.example/x">here</a>!', 'here (https://a.example/x)!'],
    ['links that show themselves', '<a href="https://a.example/">https://a.example</a>', 'https://a.example'],
    ['links to nowhere', '<a href="#top">up</a> <a href="mailto:a@b.example">write</a>', 'up write'],
    ['buttons', '<input type=submit value="Send it">', '[Send it]'],
    ['entities', '&lt;b&gt; &amp;amp; &eacute;&#x1F600;', '<b> &amp; é😀'],
    ['inline blocks of style', '<span style="display:block">a</span>b<p style="display:inline">c</p>', 'a\nbc'],
    ['pictures', 'a<img src=x alt="a picture">b', 'ab'],
    ['nothing', '', ''],
  ])('%s', (_, html, text) => {
    expect(textOf(html)).toBe(text)
  })

  test('a text that is too long is cut, and says so', () => {
    const { text, truncated } = visibleText(`<p>${'word '.repeat(100_000)}</p>`, 100)
    expect(truncated).toBe(true)
    expect(text.length).toBeLessThan(1000)
  })
})

describe('what cannot be seen', () => {
  const hidden = (style: string) => `<p>shown</p><div style="${style}">SECRET words</div>`
  test.each([
    ...['font:0/0 a', 'font-size:calc(1px - 1px)', 'font-size:min(0px,9px)', 'font-size:0.1em', 'font-size:1'],
    ...[
      'color:#fff8',
      'color:rgb(255 255 255 / 90%)',
      'color:hwb(0 100% 0%)',
      'color:oklch(1 0 0)',
      'color:canvas',
      'color:color-mix(in srgb, red, blue)',
    ],
    ...[
      'opacity:0%',
      'opacity:.3;filter:opacity(10%)',
      'filter:blur(9px)',
      'filter:invert(1)',
      'mix-blend-mode:screen',
    ],
    ...[
      'margin-left:-9999px',
      'margin:-9999px 0 0',
      'position:absolute;inset:-999em auto auto -999em',
      'position:relative;right:150vw',
    ],
    ...[
      'transform:matrix(0,0,0,0,0,0)',
      'transform:rotateX(90deg)',
      'scale:0',
      'translate:-200vw',
      'zoom:0.01',
      '-webkit-transform:scale(0)',
    ],
    ...[
      'clip-path:circle(0)',
      'clip:rect(1px 1px 1px 1px)',
      'height:0;overflow-y:hidden',
      'max-width:1px;overflow:clip',
      'mask:linear-gradient(#0000,#0000)',
    ],
    ...[
      'letter-spacing:-1em',
      'text-indent:-100vw',
      '-webkit-text-security:disc',
      'display:none;display:nonsense',
      'display:block;display:none!important;display:block',
    ],
    ...[
      'color:white;color:nonsense',
      'background:black;color:#000;background:junk',
      '/**/display/**/:/**/none',
      'DISPLAY:NONE',
      'd\\69 splay:none',
      'all:unset;opacity:0',
    ],
  ])('%s', (style) => {
    const { text, warnings } = visibleText(hidden(style), 1000)
    expect(text).toBe('shown')
    expect(warnings).toEqual([{ kind: 'hidden_text_removed', count: 1 }])
  })

  test.each([
    ['a table that inherits', '<font color=white><table><tr><td>SECRET</td></tr></table></font>'],
    ['a paragraph that leaves its formatting open', '<p><b style="display:none">SECRET</p>SECRET'],
    ['a block that its end tag does not reach', '<span style="display:none"><div></span>SECRET'],
    ['a cell that an end tag does not leave', '<div style="display:none"><table><tr><td></div>SECRET'],
    ['formatting that crosses a block', '<div style="color:white"><b style="color:black"><div></b>SECRET'],
    [
      'a row whose text is moved out of it',
      '<div style="color:white"><table><tr style="color:black">SECRET</table></div>',
    ],
    ['a cell without a table', '<div style="color:white"><td style="color:black">SECRET</td></div>'],
    ['a rule further down', '<p class=x>SECRET</p><style>.x{display:none}</style>'],
    [
      'a rule that overrides the element',
      '<style>.x{display:none!important}</style><p class=x style="display:block">SECRET',
    ],
    [
      'a sheet that does not apply',
      '<style>.x{display:none}</style><template><style>.x{display:block!important}</style></template><p class=x>SECRET',
    ],
    [
      'a sheet of another type',
      '<style>.x{display:none}</style><style type="text/x">.x{display:block!important}</style><p class=x>SECRET',
    ],
    ['a rule that browsers drop', '<style>.x{display:none} junk; .x{display:block}</style><p class=x>SECRET'],
    ['a rule in an open bracket', '<style>.x{display:none} .y{color:(} .x{display:block}</style><p class=x>SECRET'],
    ['nested rules', '<style>.x{display:block; &{display:none}}</style><p class=x>SECRET'],
    ['a rule that may apply', '<style>p:last-child{display:none}</style><p>SECRET'],
    ['a variable of a parent', '<div style="--c:#ffffff"><p style="color:var(--none, var(--c))">SECRET</p></div>'],
    ['text in closed details', '<details>SECRET<p style="display:block">SECRET</p></details>'],
    ['a frame', '<iframe><p>SECRET</p></iframe>'],
    ['a rule that counts its children', '<style>body > :nth-child(2){opacity:0}</style><p>a</p><p>SECRET</p>'],
    ['a body that hides', '<p>SECRET</p><body style="visibility:hidden">'],
  ])('%s', (_, html) => {
    const { text, warnings } = visibleText(html, 1000)
    expect(text).not.toContain('SECRET')
    expect(warnings.map(({ kind }) => kind)).toContain('hidden_text_removed')
  })
})

describe('what can be seen', () => {
  test.each([
    ['white on a coloured cell', '<table bgcolor=navy><tr><td style="color:#fff">seen</td></tr></table>'],
    ['white on a coloured rule', '<style>.h{background:#036;color:white}</style><div class=h><p>seen'],
    ['black in a white block', '<div style="color:#fff"><p style="color:#333">seen'],
    ['a link in white text', '<div style="color:#fff"><a href="https://a.example">seen</a></div>'],
    ['visible inside of hidden', '<div style="visibility:hidden"><b style="visibility:visible">seen</b></div>'],
    ['what hides on phones', '<style>@media (max-width:600px){.d{display:none!important}}</style><p class=d>seen'],
    [
      'what hides in print',
      '<style>@media print{.d{display:none}}</style><style media=print>p{display:none}</style><p class=d>seen',
    ],
    [
      'what hides under the mouse',
      '<style>p:hover{display:none} a b.c{display:none}</style><p>seen <b class=c>too</b>',
    ],
    [
      'a reset font size',
      '<td style="font-size:0"><div style="font-size:0"><span style="font-size:14px">seen</span></div>',
    ],
    ['rules of other elements', '<style>div .x{display:none} .y > .x{display:none}</style><p class=x>seen'],
    ['a downlevel-revealed comment', '<![if !mso]>seen<![endif]>'],
    ['a centred box', '<div style="position:relative;left:50%;transform:translate(-50%,-50%)">seen'],
    ['windowtext', '<p style="color:windowtext;background:window">seen'],
    ['open details', '<details open><summary>more</summary>seen</details>'],
    ['yellow on white', '<p style="color:yellow">seen'],
    ['a short line with hidden overflow', '<div style="overflow:hidden;height:20px">seen</div>'],
  ])('%s', (_, html) => {
    const { text, warnings } = visibleText(html, 1000)
    expect(text).toContain('seen')
    expect(warnings).toEqual([])
  })
})

test('whole hidden pieces count once each', () => {
  const html = '<div hidden><p>a</p><p>b <i>c</i></p></div>x<div hidden>d</div>'
  expect(visibleText(html, 100).warnings).toEqual([{ kind: 'hidden_text_removed', count: 2 }])
})

test('ordinary comments, titles and captions are no warning', () => {
  const html =
    '<title>Weekly news</title><!-- start of header --><img alt="Company logo" title="Our logo"><!--[if mso]><table><tr><td><![endif]-->x'
  expect(kindsOf(html)).toEqual([])
})

describe('whatever the page', () => {
  const secret = 'zqsecretqz'
  const piece = fc.oneof(
    fc.constantFrom(
      '<p>',
      '</p>',
      '<div>',
      '</div>',
      '<b>',
      '</b>',
      '<table>',
      '<tr>',
      '<td>',
      '</table>',
      '<a href="http://a.b">',
      '</a>',
    ),
    fc.constantFrom(
      '<style>p{color:red}</style>',
      '<style>',
      '</style>',
      '<script>',
      '</script>',
      '<svg>',
      '</svg>',
      '<select>',
      '<li>',
      '<title>',
    ),
    fc.constantFrom(
      '<',
      '>',
      '&',
      '&amp;',
      '"',
      "'",
      '=',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<p style="',
      '<p title="',
      '\0',
      '\u202e',
      '😀',
    ),
    fc.string({ maxLength: 8 }),
  )
  const page = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))

  test('it is read without an error', () => {
    fc.assert(
      fc.property(page, fc.nat(300), (html, max) => {
        expect(visibleText(html, max).text.length).toBeLessThanOrEqual(2 * max + 1)
      }),
      { numRuns: 2000 },
    )
  })

  test('a comment, an attribute or hidden text never comes out', () => {
    const hiding = fc.constantFrom(
      `<!-- ${secret} -->`,
      `<p title="${secret}">`,
      `<b data-x='${secret}'></b>`,
      `<div style="display:none">${secret}</div>`,
      `<script>${secret}</script>`,
    )
    // Whole tags only: half a tag before it would make visible text of what comes after.
    const whole = fc.array(
      fc.constantFrom(
        '<p>',
        '</p>',
        '<div>',
        '</div>',
        '<b>',
        '</b>',
        '<table>',
        '<td>',
        '</table>',
        '<li>',
        'word ',
        '<i>',
        '</a>',
      ),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(whole, hiding, whole, (before, trick, after) => {
        expect(textOf(before.join('') + trick + after.join(''))).not.toContain(secret)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a title', () => {
  const title = 'A map of the noise under water'
  const hidden = (html: string, subject?: string) =>
    visibleText(html, 1000, subject).warnings.some(({ kind }) => kind === 'hidden_text_removed')

  test('that the page repeats, or that is the subject, hides nothing', () => {
    expect(hidden(`<title>${title}</title><h1>A map of the <b>noise</b> under water</h1>`)).toBe(false)
    expect(hidden(`<title>${title}</title><p>Hello`, `Fwd: ${title}`)).toBe(false)
  })

  test('that says something else is counted', () => {
    expect(hidden(`<title>${title}</title><p>Hello`)).toBe(true)
  })
})
