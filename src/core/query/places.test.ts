import { expect, test } from 'vitest'
import { parseQuery } from './parse.ts'
import { asksForPlaces, type Place, placesOf, settle } from './places.ts'
import { printQuery } from './print.ts'

const INBOX: Place = { path: 'Inbox' }
const SENT: Place = { path: 'Gesendet', role: 'sent' }
const JUNK: Place = { path: 'Unwanted', role: 'junk' }
const STARRED: Place = { path: '[Gmail]/Markiert', role: 'flagged' }
const PLAIN: Place = { path: 'Clients/ACME Ltd' }
const ALL = ''
const NONE = 'smaller:0'

test.each<[string, Place, string]>([
  ['in:inbox', INBOX, ALL],
  ['in:INBOX', SENT, NONE],
  ['in:sent', SENT, ALL],
  ['in:gesendet', SENT, ALL],
  ['in:sent', { path: 'Sent' }, ALL],
  ['in:spam', JUNK, ALL],
  ['in:junk', JUNK, ALL],
  ['in:spam', { path: 'Junk' }, ALL],
  ['in:trash', JUNK, NONE],
  ['in:bin', { path: 'x', role: 'trash' }, ALL],
  ['in:drafts', { path: 'x', role: 'drafts' }, ALL],
  ['in:archive', { path: 'x', role: 'archive' }, ALL],
  ['in:all', { path: 'x', role: 'all' }, ALL],
  ['in:starred', STARRED, ALL],
  ['in:starred', PLAIN, 'is:starred'],
  ['in:anywhere', PLAIN, ALL],
  ['in:"clients/acme ltd"', PLAIN, ALL],
  ['in:"acme ltd"', PLAIN, NONE],
  ['label:"acme ltd"', PLAIN, ALL],
  ['label:"Clients/ACME Ltd"', PLAIN, ALL],
  ['label:"acme ltd"', INBOX, NONE],
  ['label:work', PLAIN, 'keyword:work'],
  ['label:inbox', INBOX, ALL],
  ['label:spam', JUNK, ALL],
  ['label:STARRED', INBOX, 'is:starred'],
  ['label:unread', INBOX, 'is:unread'],
  ['label:important', INBOX, 'is:important'],
  ['label:grün', INBOX, NONE],
  ['a in:sent', SENT, 'a'],
  ['a in:sent', INBOX, NONE],
  ['a OR in:sent', INBOX, 'a'],
  ['-in:sent b', SENT, NONE],
  ['-in:sent b', INBOX, 'b'],
  ['-(in:inbox a) -(in:sent b)', SENT, '-b'],
])('%s in %j is %j', (text, folder, settled) => {
  expect(printQuery(settle(parseQuery(text, 0), folder))).toBe(settled)
})

test.each<[string, readonly string[]]>([
  ['a', []],
  ['in:Junk a', ['spam']],
  ['-in:spam', []],
  ['-(-in:bin)', ['trash']],
  ['in:sent OR (a in:"Old Mail")', ['sent', 'old mail']],
  ['label:Spam in:anywhere', ['spam', 'anywhere']],
])('%s asks for %j', (text, places) => {
  expect([...placesOf(parseQuery(text, 0))]).toEqual(places)
})

test('whether a query speaks of places at all', () => {
  expect(asksForPlaces(parseQuery('a OR b -c', 0))).toBe(false)
  expect(asksForPlaces(parseQuery('a OR -(b in:x)', 0))).toBe(true)
  expect(asksForPlaces(parseQuery('label:x', 0))).toBe(true)
})
