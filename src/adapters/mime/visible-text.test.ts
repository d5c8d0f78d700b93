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
    ['pictures', 'a<img src=x alt="a picture">b', 'a[image: a picture]b'],
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

describe('what can be seen', () => {
  test.each([
    ['white on a coloured cell', '<table bgcolor=navy><tr><td style="color:#fff">seen</td></tr></table>'],
    ['white on a coloured rule', '<style>.h{background:#036;color:white}</style><div class=h><p>seen'],
    ['black in a white block', '<div style="color:#fff"><p style="color:#333">seen'],
    ['a link in white text', '<div style="color:#fff"><a href="https://a.example">seen</a></div>'],
    ['visible inside of hidden', '<div style="visibility:hidden"><b style="visibility:visible">seen</b></div>'],
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
    ['windowtext', '<p style="color:windowtext;background:window">seen'],
    ['open details', '<details open><summary>more</summary>seen</details>'],
    ['white on a dark gradient', '<p style="color:white;background:linear-gradient(#000,#333)">seen'],
    ['a condition that does not hold', '<style>@supports not (display:block){p{display:none}}</style><p>seen'],
    ['text in an input', '<input value="seen">'],
    ['the only option', '<select><option>seen</select>'],
    ['a list of options', '<select multiple><option>a<option>seen</select>'],
    ['a formula', '<math><mi>x</mi><mo>=</mo><mtext>seen</mtext></math>'],
    ['a growing box', '<div style="display:flex"><p style="flex:1 1 0">seen</p></div>'],
    ['a floating end', '<style>p:after{content:".";visibility:hidden}</style><p>seen'],
    ['Hebrew from right to left', '<p dir=rtl>\u05e9\u05dc\u05d5\u05dd seen</p>'],
    ['yellow on white', '<p style="color:yellow">seen'],
    ['a short line with hidden overflow', '<div style="overflow:hidden;height:20px">seen</div>'],
  ])('%s', (_, html) => {
    const { text, warnings } = visibleText(html, 1000)
    expect(text).toContain('seen')
    expect(warnings).toEqual([])
  })
})

test('what a person may not see is beside the text, a piece a line, and counted', () => {
  const html =
    '<p>seen</p><p style="clip-path:inset(1px)">one <b>two</b></p><p>seen</p><p style="clip-path:inset(1px)">three</p>'
  expect(visibleText(html, 1000)).toMatchObject({
    text: 'seen\n\nseen',
    uncertain: 'one two\nthree',
    warnings: [{ kind: 'uncertain_text', count: 2 }],
  })
})

test('what may be painted over the page leaves nothing of it visible', () => {
  const { text, uncertain } = visibleText('<p>one</p><div style="position:absolute;top:0">two</div>', 1000)
  expect({ text, uncertain }).toEqual({ text: '', uncertain: 'one\ntwo' })
})

test('whole hidden pieces count once each', () => {
  const html = '<div hidden><p>a</p><p>b <i>c</i></p></div>x<div hidden>d</div>'
  expect(visibleText(html, 100).warnings).toEqual([{ kind: 'hidden_text_removed', count: 2 }])
})

test('of a select the last selected option shows, and the others count as one', () => {
  const html = '<select><option selected>a<option selected>b<option>c<option>d</select>'
  expect(visibleText(html, 100)).toMatchObject({ text: 'b', warnings: [{ kind: 'hidden_text_removed', count: 2 }] })
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
