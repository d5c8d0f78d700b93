import { expect, test } from 'vitest'
import { beginsMessage, fromLineTime } from './from-line.ts'

const FEB_1 = Date.UTC(2024, 1, 1, 10, 12, 13) / 1000

test.each([
  ['From ada@example.org Thu Feb  1 10:12:13 2024', FEB_1],
  ['From 1790402842612013412@xxx Thu Feb 01 10:12:13 +0000 2024', FEB_1],
  ['From ada@example.org Thu Feb  1 11:12:13 2024 +0100', FEB_1],
  ['From ada@example.org Thu Feb  1 05:12:13 EST 2024', FEB_1],
  ['From - Thu Feb  1 10:12:13 2024', FEB_1],
  ['From "Ada Lovelace" Thu, 1 Feb 2024 10:12:13 +0000', FEB_1],
  ['From ada@example.org 2024-02-01 10:12:13', FEB_1],
  ['From ???@??? 00:00:00 1997 +0000', undefined],
  ['From MAILER-DAEMON', undefined],
])('%s', (line, time) => {
  expect(fromLineTime(line)).toBe(time)
})

const FULL = 'From ada@example.org Thu Feb  1 10:12:13 2024'

test.each([
  ['a full line between a blank one and a header', FULL, true, 'Subject: x', true],
  ['a full line without a blank one, before a header', FULL, false, 'Subject: x', true],
  ['a full line in the middle of prose', FULL, true, 'she wrote to me', false],
  ['prose that begins with From', 'From the desk of my aunt, who says', true, 'Note: this', false],
  ['a line without a date', 'From MAILER-DAEMON', true, 'Received: by x', true],
  ['a line without a date or a blank line', 'From MAILER-DAEMON', false, 'Received: by x', false],
  ['a line of a Mozilla program', 'From - ', false, 'Subject: x', true],
  ['the last line of a file', FULL, true, '', true],
])('%s', (_what, line, afterBlank, next, expected) => {
  expect(beginsMessage(line, { afterBlank, next })).toBe(expected)
})
