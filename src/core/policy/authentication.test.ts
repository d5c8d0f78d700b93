import { expect, test } from 'vitest'
import { parseHeader } from '../mime/header.ts'
import { isAuthenticated } from './authentication.ts'

const FROM = 'From: Ann <ann@bank.example>'
const RECEIVED = 'Received: from out.bank.example (out [192.0.2.1]) by mx.own.example (Postfix) with ESMTPS id 1; Mon'

function judged(lines: readonly string[], authservId?: string): boolean {
  return isAuthenticated(parseHeader(new TextEncoder().encode(`${lines.join('\r\n')}\r\n\r\n`)), authservId)
}

const report = (results: string): string => `Authentication-Results: mx.own.example; ${results}`

test.each([
  'dmarc=pass header.from=bank.example',
  'dmarc=pass',
  'DMARC = PASS (p=REJECT sp=NONE) header.from=BANK.example.',
  'dmarc=pass (p=none) header.from="bank.example"',
  'dmarc=pass header.from=ann@bank.example',
  'dmarc/1=pass header.from=bank.example',
  'spf=fail smtp.mailfrom=x@y;\r\n\tdkim=none;\r\n\tdmarc=pass header.from=bank.example',
  'dmarc(really)=(yes)pass header.from=bank.example; arc=none',
  'spf=pass (a "quoted comment) smtp.mailfrom=x; dmarc=pass header.from=bank.example',
])('the own server vouches by %j', (results) => {
  expect(judged([RECEIVED, report(results), FROM])).toBe(true)
  expect(judged([report(results), FROM], 'MX.own.example.')).toBe(true)
})

test.each([
  'none',
  '',
  'dmarc=fail header.from=bank.example',
  'dmarc=none',
  'dmarc=passed',
  'dmarc=pass-ish header.from=bank.example',
  'dmarc=bestguesspass header.from=bank.example',
  'xdmarc=pass header.from=bank.example',
  'spf=pass smtp.mailfrom=ann@bank.example',
  'dkim=pass header.d=bank.example',
  'dmarc=fail (dmarc=pass) header.from=bank.example',
  'spf=fail (; dmarc=pass header.from=bank.example ;) smtp.mailfrom=x',
  'spf=fail (\\); dmarc=pass header.from=bank.example) smtp.mailfrom=x',
  'spf=fail (a (b) ; dmarc=pass) x=y',
  'spf=fail reason="; dmarc=pass header.from=bank.example"',
  'spf=fail smtp.mailfrom="x; dmarc=pass"@evil.example',
  'spf=fail smtp.mailfrom="x\\"; dmarc=pass"@evil.example',
  'spf=fail dmarc=pass header.from=bank.example',
  'dmarc=pass header.from=bank.example; dmarc=fail header.from=bank.example',
  'dmarc=fail header.from=bank.example; dmarc=pass header.from=bank.example',
  'dmarc/1=fail; dmarc=pass header.from=bank.example',
  'dmarc=pass header.from=evil.example',
  'dmarc=pass header.from=',
  'dmarc=pass header.from= ; spf=pass',
  'dmarc=pass header.from=sub.bank.example',
  'dmarc=pass header.from=bank.example header.from=evil.example',
  'dmarc=pass header.from=evil.example header.from=bank.example',
  'dmarc=pass (never ends header.from=bank.example; dmarc=fail',
])('the own server does not vouch by %j', (results) => {
  expect(judged([RECEIVED, report(results), FROM])).toBe(false)
})

const PASS = 'dmarc=pass header.from=bank.example'

test.each<[string, string[]]>([
  ['no report', [RECEIVED, FROM]],
  ['a report by another server', [RECEIVED, `Authentication-Results: mx.evil.example; ${PASS}`, FROM]],
  ['a report below the own one', [RECEIVED, report('dmarc=fail'), report(PASS), FROM]],
  [
    'the own name only in a comment',
    [RECEIVED, `Authentication-Results: (mx.own.example;) mx.evil.example; ${PASS}`, FROM],
  ],
  [
    'the own name in front of another',
    [RECEIVED, `Authentication-Results: mx.own.example.evil.example; ${PASS}`, FROM],
  ],
  ['a report that never ends', [RECEIVED, report(`${PASS} (and so`), FROM]],
  ['a report without a name', [RECEIVED, `Authentication-Results: ; ${PASS}`, FROM]],
  ['a name that nobody has', ['Received: from x by .; Mon', `Authentication-Results: ; ${PASS}`, FROM]],
  [
    'a sender that calls itself by',
    ['Received: from by (evil) by mx.own.example; Mon', `Authentication-Results: by; ${PASS}`, FROM],
  ],
  [
    'a sender whose address can be read in two ways',
    [RECEIVED, report('dmarc=pass'), 'From: x@evil.example ann@bank.example'],
  ],
  ['an older Received field', ['Received: from x by relay.example; Mon', RECEIVED, report(PASS), FROM]],
  ['a receiver in a comment', ['Received: from x (by mx.own.example) with SMTP; Mon', report(PASS), FROM]],
  ['two receivers in one field', ['Received: from x by mx.own.example by mx.real.example; Mon', report(PASS), FROM]],
  ['another field of that kind', [RECEIVED, `ARC-Authentication-Results: i=1; mx.own.example; ${PASS}`, FROM]],
  ['no sender', [RECEIVED, report(PASS)]],
  ['a sender without an address', [RECEIVED, report('dmarc=pass'), 'From: Ann Bee']],
  ['a sender without a domain', [RECEIVED, report('dmarc=pass'), 'From: ann']],
  ['two senders', [RECEIVED, report(PASS), 'From: ann@bank.example, eve@evil.example']],
  ['two From fields', [RECEIVED, report(PASS), FROM, 'From: eve@evil.example']],
  ['the same sender twice', [RECEIVED, report(PASS), FROM, FROM]],
  ['a group with two', [RECEIVED, report(PASS), 'From: All: ann@bank.example, eve@evil.example;']],
  ['a sender elsewhere', [RECEIVED, report(PASS), 'From: "ann@bank.example" <eve@evil.example>']],
])('%s is no pass', (_what, lines) => {
  expect(judged(lines)).toBe(false)
})

test('a name that is known is not guessed', () => {
  const lines = [RECEIVED, report(PASS), FROM]
  expect(judged(lines, 'mx.other.example')).toBe(false)
  expect(judged(lines, '')).toBe(false)
  expect(judged([`Authentication-Results: bücher.example; ${PASS}`, FROM], 'xn--bcher-kva.example')).toBe(true)
})

test('the first of the own reports counts, whatever others stand above it', () => {
  const foreign = 'Authentication-Results: mx.evil.example; dmarc=fail'
  expect(judged([RECEIVED, foreign, report(PASS), report('dmarc=fail'), FROM])).toBe(true)
})

test('a sender with an internationalised domain', () => {
  const lines = [RECEIVED, report('dmarc=pass header.from=xn--bcher-kva.example'), 'From: a@Bücher.example.']
  expect(judged(lines)).toBe(true)
})

test.each(['(', '"', ';', 'dmarc=', '\\', ' by x', ' header.from=', '/'])(
  '%j many times is read in one pass',
  (piece) => {
    const long = piece.repeat(100_000)
    expect(judged([`Received: by mx.own.example${long}`, report(`dmarc=pass ${long}`), FROM])).toBeTypeOf('boolean')
  },
)
