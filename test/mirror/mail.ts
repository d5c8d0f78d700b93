/** Messages of the kinds whose words can be searched, each with words of its own. */
import { pdf } from '../imap/pdf.ts'

type Piece = readonly [headers: readonly string[], body: string]

export function message(subject: string, [headers, body]: Piece): string {
  return [
    'From: Ada Lovelace <ada@example.org>',
    'To: charles@example.net',
    `Subject: ${subject}`,
    `Message-ID: <${subject.replaceAll(' ', '.')}@example.org>`,
    'Date: Mon, 01 Jan 2024 12:00:00 +0000',
    'MIME-Version: 1.0',
    ...headers,
    '',
    body,
  ].join('\r\n')
}

export function plain(body: string): Piece {
  return [['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'], body]
}

export function html(body: string): Piece {
  return [['Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: 8bit'], body]
}

export function file(type: string, name: string, bytes: Uint8Array): Piece {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  const disposition = `Content-Disposition: attachment; filename="${name}"`
  return [[`Content-Type: ${type}`, disposition, 'Content-Transfer-Encoding: base64'], lines.join('\r\n')]
}

export function several(kind: 'mixed' | 'alternative', ...pieces: readonly Piece[]): Piece {
  const boundary = `${kind}-${pieces.length}-of-them`
  const parts = pieces.map(([headers, body]) => [`--${boundary}`, ...headers, '', body].join('\r\n'))
  return [[`Content-Type: multipart/${kind}; boundary="${boundary}"`], [...parts, `--${boundary}--`, ''].join('\r\n')]
}

const LATIN1 = new Uint8Array([0x63, 0x61, 0x66, 0xe9])
const CALENDAR = [
  'BEGIN:VCALENDAR',
  'BEGIN:VEVENT',
  'SUMMARY:regatta',
  'DTSTART:20240101T100000Z',
  'END:VEVENT',
  'END:VCALENDAR',
]

interface Kind {
  readonly name: string
  readonly raw: string
  readonly body: string
  readonly uncertain?: string
  readonly attachments?: readonly string[]
}

/** What a person sees of each message: its text, and the words of its attachments; and what a person may not see. */
export const KINDS: readonly Kind[] = [
  { name: 'plain', raw: message('plain', plain('an albatross')), body: 'an albatross' },
  { name: 'html', raw: message('html', html('<p>a <b>bittern</b></p><p hidden>secretly</p>')), body: 'a bittern' },
  {
    name: 'both',
    raw: message('both', several('alternative', plain('a curlew'), html('<p>a dunlin</p>'))),
    body: 'a dunlin',
    uncertain: 'a curlew',
  },
  {
    name: 'blank plain',
    raw: message('blank plain', several('alternative', plain(' \r\n '), html('<p>an egret</p>'))),
    body: 'an egret',
  },
  {
    name: 'blank plain before a page',
    raw: message('blank plain before a page', several('mixed', plain(''), html('<p>a <b>gannet</b></p>'))),
    body: 'a gannet',
  },
  {
    name: 'several texts',
    raw: message(
      'several texts',
      several('mixed', html('<p>a dipper</p>'), file('image/png', 'k.png', LATIN1), plain('a grebe')),
    ),
    body: 'a dipper\n\na grebe',
  },
  {
    name: 'files',
    raw: message(
      'files',
      several(
        'mixed',
        plain('see below'),
        file('application/pdf', 'f.pdf', pdf('a fulmar')),
        file('text/plain; charset=iso-8859-1', 'g.txt', LATIN1),
        file('text/html', 'h.html', Buffer.from('<p>a heron</p><p style="display:none">unseen</p>')),
        file('text/calendar', 'i.ics', Buffer.from(CALENDAR.join('\r\n'))),
        file('application/pdf', 'broken.pdf', Buffer.from('%PDF-1.4 nothing')),
        file('image/png', 'k.png', new Uint8Array(100)),
      ),
    ),
    body: 'see below',
    attachments: ['fulmar', 'café', 'heron', 'regatta'],
  },
  { name: 'no text', raw: message('no text', file('image/png', 'l.png', new Uint8Array(10))), body: '' },
]
