import { expect, test } from 'vitest'
import { searchTexts } from './search-text.ts'

function message(...lines: string[]): Uint8Array {
  return Buffer.from(lines.join('\r\n'))
}

test('header fields are decoded and folded', () => {
  const { from, to, subject, all } = searchTexts(
    message(
      'From: =?utf-8?Q?Zo=C3=AB?= <Zoe@Example.org>',
      'To: "Lindqvist, Maya" <m@x.example>',
      'Subject: =?iso-8859-1?Q?Gr=FC=DFe?=',
      '',
      'Hi',
    ),
  )
  expect(from).toBe('zoë <zoe@example.org>')
  expect(to).toContain('lindqvist, maya <m@x.example>')
  expect(subject).toBe('grüße')
  expect(all).toContain('subject: grüße')
})

test('text parts are decoded whatever their encoding, attachments are not', () => {
  const { all } = searchTexts(
    message(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'stra=DFe und =',
      'weiter',
      '--b',
      'Content-Type: text/html; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('<p>T<b>ok</b>yo &amp; 東京</p>').toString('base64'),
      '--b',
      'Content-Type: application/octet-stream; name="Plan.dwg"',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('secret words').toString('base64'),
      '--b--',
    ),
  )
  expect(all).toContain('straße und weiter')
  expect(all).toContain('tokyo & 東京')
  expect(all).toContain('plan.dwg')
  expect(all).not.toContain('secret words')
})

test('an attached message is found by its header and text', () => {
  const { all } = searchTexts(
    message('Content-Type: message/rfc822', '', 'Subject: =?utf-8?Q?Caf=C3=A9?=', '', 'inner words'),
  )
  expect(all).toContain('café')
  expect(all).toContain('inner words')
})

test('a long text is searched to its end', () => {
  const { all, isCut } = searchTexts(message('Subject: x', '', `${'word '.repeat(200_000)}last`))
  expect(all.endsWith('last')).toBe(true)
  expect(isCut).toBe(false)
})

test('a huge message is bounded, and known to be', () => {
  const { all, isCut } = searchTexts(message('Subject: x', '', 'word '.repeat(1_000_000)))
  expect(all.length).toBeLessThanOrEqual(1024 * 1024 + 100)
  expect(isCut).toBe(true)
})

test('the body begins behind the blank line', () => {
  expect(searchTexts(message('Subject: x', '', 'body')).bodyStart).toBe('Subject: x\r\n\r\n'.length)
})
