/** Raw messages for tests: what a mail server would have stored. */

export interface SeedMessage {
  readonly raw: string | Uint8Array
  readonly flags?: readonly string[]
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received?: number
}

export interface Letter {
  readonly from?: string
  readonly to?: string
  readonly subject?: string
  readonly body?: string
  readonly messageId?: string
  readonly extra?: readonly string[]
}

/** A single-part text message with CRLF line ends. `subject` may be any text: it is encoded where it must be. */
export function letter({ from, to, subject, body, messageId, extra }: Letter): string {
  return [
    `From: ${from ?? 'Ada Lovelace <ada@example.org>'}`,
    `To: ${to ?? 'Charles <charles@example.net>'}`,
    `Subject: ${encodedWord(subject ?? 'no subject')}`,
    `Message-ID: ${messageId ?? '<seed@example.org>'}`,
    'Date: Mon, 01 Jan 2024 12:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    ...(extra ?? []),
    '',
    body ?? 'Nothing to see here.',
    '',
  ].join('\r\n')
}

/** A text and a file of text, under these header fields. */
export function withAttachment(
  header: readonly string[],
  text: string,
  file: { readonly filename: string; readonly text: string },
): string {
  return [
    ...header,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    text,
    '--b',
    `Content-Type: text/plain; name=${file.filename}`,
    `Content-Disposition: attachment; filename=${file.filename}`,
    '',
    file.text,
    '--b--',
    '',
  ].join('\r\n')
}

function encodedWord(text: string): string {
  return /^[ -~]*$/.test(text) ? text : `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`
}

/** Seconds since 1970 of an ISO time. */
export function at(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000)
}

/** A multipart message: two alternatives, a PDF with a non-ASCII name, and an attached message. */
export const MIXED = [
  'From: =?utf-8?Q?Zo=C3=AB?= <zoe@example.org>',
  'To: charles@example.net',
  'Subject: parts',
  'Message-ID: <mixed@example.org>',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="outer"',
  '',
  '--outer',
  'Content-Type: multipart/alternative; boundary=inner',
  '',
  '--inner',
  'Content-Type: text/plain; charset=utf-8; format=flowed',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Gr=C3=BC=C3=9Fe',
  '--inner',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>hello</p>',
  '--inner--',
  '--outer',
  "Content-Type: application/pdf; name*=utf-8''%C3%BCbersicht.pdf",
  "Content-Disposition: attachment; filename*=utf-8''%C3%BCbersicht.pdf",
  'Content-Transfer-Encoding: base64',
  '',
  'JVBERi0xLjQK',
  '--outer',
  'Content-Type: message/rfc822',
  '',
  'From: inner@example.org',
  'Subject: the inner one',
  'Content-Type: text/plain',
  '',
  'inner text',
  '--outer--',
  '',
].join('\r\n')
