import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { safeHtml, textAsHtml } from './safe-html.ts'

const clean = (html: string): string => safeHtml(html, 100_000).html

const betweenTags = (html: string): string => html.replace(/<[^>]*>/g, '')

test.each([
  [
    'keeps what structures a text',
    '<h1>a</h1><p>b <b>c</b><ul><li>d</ul>',
    '<h1>a</h1><p>b <b>c</b></p><ul><li>d</li></ul>',
  ],
  ['closes what was left open', '<div><p>a<div>b', '<div><p>a</p><div>b</div></div>'],
  ['drops hidden text', 'a<div style="display:none">b</div><!-- c -->', 'a'],
  ['drops styles, classes and ids', '<p style="background:url(http://x)" class=a id=b name=c>a</p>', '<p>a</p>'],
  ['drops scripts and handlers', '<script>a</script><p onclick="b">c</p>', '<p>c</p>'],
  ['drops forms, keeps their text', '<form action=/x><button>a</button><input value=b></form>', 'a'],
  ['drops pictures', 'a<img src="http://x/y.png" alt=z>b', 'ab'],
  [
    'keeps links to pages',
    '<a href="https://a.example/?b&c" target=x ping=y>d</a>',
    '<a href="https://a.example/?b&amp;c" rel="noopener noreferrer nofollow">d</a>',
  ],
  [
    'keeps whom to write to',
    '<a href="mailto:a@b.example?bcc=c@d.example&body=e">f</a>',
    '<a href="mailto:a@b.example" rel="noopener noreferrer nofollow">f</a>',
  ],
  ['drops links that run', '<a href="java&#10;script:alert(1)">a</a>', '<a>a</a>'],
  ['escapes text', '&lt;script&gt;1&lt;/script&gt; &amp;amp;', '&lt;script&gt;1&lt;/script&gt; &amp;amp;'],
  [
    'keeps tables',
    '<table><tr><td colspan=2 onclick=x>a',
    '<table><tbody><tr><td colspan="2">a</td></tr></tbody></table>',
  ],
  ['drops invisible characters', 'a\u200bb\u202ec', 'abc'],
  ['keeps line breaks', 'a<br>b<hr>', 'a<br />b<hr />'],
])('%s', (_, html, expected) => {
  expect(clean(html)).toBe(expected)
})

describe('a limit', () => {
  test('never cuts a tag, an entity or a character', () => {
    const html = '<p>one &amp; two <b>😀😀</b> <a href="https://a.example/">three</a></p>'
    for (let max = 0; max < 150; max++) {
      const { html: short, truncated } = safeHtml(html, max)
      expect(short.length).toBeLessThanOrEqual(max)
      expect(short.isWellFormed()).toBe(true)
      expect(clean(short)).toBe(short)
      expect(truncated).toBe(short !== clean(html))
    }
  })

  test('holds for plain text too', () => {
    expect(textAsHtml('a < b', 1000).html).toBe('<pre>a &lt; b</pre>')
    expect(textAsHtml('a < b', 16)).toEqual({ html: '<pre>a </pre>', truncated: true })
  })
})

test('whatever the page, what comes out is harmless, and reads the same when it is read again', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<p>',
      '</p>',
      '<svg>',
      '<math>',
      '<mtext>',
      '<style>',
      '</style>',
      '<table>',
      '<td>',
      '<b>',
      '</b>',
      '<noscript>',
      '<title>',
      '<textarea>',
      '<a href="',
    ),
    fc.constantFrom(
      '<img src=x onerror=y>',
      '<script>z</script>',
      'javascript:',
      '"',
      "'",
      '>',
      '<',
      '&',
      '&lt;',
      '<!--',
      '-->',
      ']]>',
      '<![CDATA[',
      '<xmp>',
      '<plaintext>',
      '<select>',
      '<template>',
    ),
    fc.string({ maxLength: 6 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const html = clean(pieces.join(''))
      expect(html).not.toMatch(/<(?:img|script|style|svg|math|iframe|textarea|xmp|template|select|title)/i)
      for (const tag of html.match(/<[^>]*>/g) ?? []) {
        expect(tag).toMatch(/^<\/?[a-z0-9]+(?: href="(?:https?|mailto):[^"]*" rel="[a-z ]*")?(?: \/)?>$/)
      }
      expect(betweenTags(clean(html))).toBe(betweenTags(html))
    }),
    { numRuns: 1500 },
  )
})
