/** Reading mbox files, Maildirs and messages from disk. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMailArchive } from '../../src/adapters/archive/archive.ts'
import { never, readAll, readMessages, textOf, writeFile, writeTree } from './archives.ts'

const FROM = 'From ada@example.org Thu Feb  1 10:12:13 2024'
let directory = ''
let count = 0

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'postern-archive-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

function place(name: string): string {
  count += 1
  return join(directory, String(count), name)
}

async function readMbox(content: string | Uint8Array): Promise<string[]> {
  return (await readMessages(writeFile(place('test.mbox'), content))).map(textOf)
}

describe('an mbox file', () => {
  test('gives its messages byte for byte, with the time of their From line', async () => {
    const path = writeFile(
      place('Holiday 2024.mbox'),
      `${FROM}\nSubject: a\n\nfirst\n\n${FROM}\nSubject: b\n\nsecond\n`,
    )
    const messages = await readMessages(path)
    expect(messages.map(textOf)).toEqual(['Subject: a\n\nfirst\n', 'Subject: b\n\nsecond\n'])
    expect(messages[0]).toMatchObject({ mailbox: 'Holiday 2024', received: Date.UTC(2024, 1, 1, 10, 12, 13) / 1000 })
  })

  test.each([
    ['one > less before From', '>From here', 'From here'],
    ['one > less before many', '>>>From here', '>>From here'],
    ['other quotes stay', '> From here\n>Fromage', '> From here\n>Fromage'],
    ['a From in the middle of a line stays', 'x >From here', 'x >From here'],
    ['a From that begins no message stays', 'From here on it rained', 'From here on it rained'],
  ])('is unescaped: %s', async (_what, written, read) => {
    expect(await readMbox(`${FROM}\nSubject: a\n\n${written}\n`)).toEqual([`Subject: a\n\n${read}\n`])
  })

  test('leaves header lines as they are', async () => {
    expect(await readMbox(`${FROM}\n>From old@example.org\nSubject: a\n\nx\n`)).toEqual([
      '>From old@example.org\nSubject: a\n\nx\n',
    ])
  })

  test('may have CRLF lines', async () => {
    const text = `${FROM}\r\nSubject: a\r\n\r\nfirst\r\n>From x\r\n\r\n${FROM}\r\nSubject: b\r\n\r\nsecond\r\n\r\n`
    expect(await readMbox(text)).toEqual(['Subject: a\r\n\r\nfirst\r\nFrom x\r\n', 'Subject: b\r\n\r\nsecond\r\n'])
  })

  test('with Content-Length may hold From lines that nobody escaped', async () => {
    const body = `one\n\n${FROM}\nSubject: quoted\n\n>From as it was\n`
    const counted = `${FROM}\nSubject: a\nContent-Length: ${body.length}\n\n${body}\n${FROM}\nSubject: b\n\nlast\n`
    const [first, second, ...more] = await readMbox(counted)
    expect(first).toBe(`Subject: a\nContent-Length: ${body.length}\n\n${body}`)
    expect(second).toBe('Subject: b\n\nlast\n')
    expect(more).toEqual([])
  })

  test.each(['3', '999999999', '17'])('with a wrong Content-Length of %s is read by its From lines', async (length) => {
    const text = `${FROM}\nSubject: a\nContent-Length: ${length}\n\nfirst line\n\n${FROM}\nSubject: b\n\nsecond\n`
    expect(await readMbox(text)).toEqual([
      `Subject: a\nContent-Length: ${length}\n\nfirst line\n`,
      'Subject: b\n\nsecond\n',
    ])
  })

  test('may lack the blank line between messages', async () => {
    expect(await readMbox(`${FROM}\nSubject: a\n\nfirst\n${FROM}\nSubject: b\n\nsecond\n`)).toHaveLength(2)
  })

  test('keeps bytes that are no text', async () => {
    const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const content = Buffer.concat([
      Buffer.from(`${FROM}\nSubject: a\n\n`),
      body,
      Buffer.from(`\n\n${FROM}\nSubject: b\n\nx\n`),
    ])
    expect((await readMbox(content))[0]).toBe(`Subject: a\n\n${body.toString('latin1')}\n`)
  })

  test('is cut the same wherever a window over the file ends', async () => {
    const filler = 'x'.repeat(76).concat('\n').repeat(54_470)
    for (const extra of [0, 1, 2, 3, 4, 5, 6, 7, 40, 60, 80, 200]) {
      const first = `Subject: a\n\n${filler}${'y'.repeat(extra)}\n`
      const read = await readMbox(`${FROM}\n${first}\n${FROM}\nSubject: b\n\nsecond\n\n${FROM}\nSubject: c\n\nthird\n`)
      expect(read.map((text) => text.length)).toEqual([
        first.length,
        'Subject: b\n\nsecond\n'.length,
        'Subject: c\n\nthird\n'.length,
      ])
    }
  })

  test('goes on behind any message', async () => {
    const path = writeFile(
      place('many.mbox'),
      Array.from({ length: 5 }, (_, at) => `${FROM}\nSubject: ${at}\n\nx\n\n`).join(''),
    )
    const [source] = await createMailArchive().open(path, never)
    const all = await readMessages(path)
    const rest: string[] = []
    for await (const item of source?.read(all[2]?.position, never) ?? [])
      if (item.kind === 'message') rest.push(textOf(item))
    expect(rest).toEqual(all.slice(3).map(textOf))
    expect(source?.bytesBefore(all[4]?.position ?? '')).toBe(source?.bytes)
  })

  test('gives back whatever was put into it by the rules', async () => {
    const line = fc.constantFrom('text', 'From me', '>From me', '>>From x', '', FROM, 'Subject: no', 'ends with space ')
    const body = fc.array(line).map((lines) => `${lines.join('\n')}\nend\n`)
    await fc.assert(
      fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 4 }), async (bodies) => {
        const messages = bodies.map((text, at) => `Subject: ${at}\n\n${text}`)
        const escaped = (text: string): string => text.replace(/^(>*From )/gm, '>$1')
        expect(await readMbox(messages.map((text) => `${FROM}\n${escaped(text)}\n`).join(''))).toEqual(messages)
      }),
      { numRuns: 60 },
    )
  })
})

describe('a fingerprint', () => {
  test('is the same whatever mail programs noted in the header', async () => {
    const [a, b, c] = await readMessages(
      writeFile(
        place('notes.mbox'),
        ['X-Gmail-Labels: Inbox,\n Unread\nSubject: a', 'Subject: a\nStatus: RO\nX-Mozilla-Status: 0001', 'Subject: b']
          .map((header) => `${FROM}\n${header}\n\nbody\n\n`)
          .join(''),
      ),
    )
    expect(a?.fingerprint).toBe(b?.fingerprint)
    expect(a?.fingerprint).not.toBe(c?.fingerprint)
    expect(textOf(a ?? { bytes: new Uint8Array() })).toContain('X-Gmail-Labels: Inbox,\n Unread\n')
  })
})

describe('a Maildir', () => {
  const MAIL = 'Subject: x\n\nbody\n'

  test('gives messages with flags, folders and times', async () => {
    const root = writeTree(
      place('Maildir'),
      {
        'cur/1.a.host:2,FRS': MAIL,
        'cur/2.b.host:2,a': MAIL,
        'new/3.c.host': MAIL,
        'tmp/4.d.host': MAIL,
        'dovecot-keywords': '0 $Forwarded\n',
        '.Sent/cur/5.e.host:2,S': MAIL,
        '.Projects.Atlas/cur/6.f.host:2,DTP': MAIL,
        '.Entw&APw-rfe/cur/7.g.host:2,': MAIL,
      },
      1_700_000_000,
    )
    const messages = await readMessages(root)
    expect(messages.map(({ mailbox, flags }) => [mailbox, flags])).toEqual([
      ['INBOX', ['\\Flagged', '\\Answered', '\\Seen']],
      ['INBOX', ['$Forwarded']],
      ['INBOX', []],
      ['Entwürfe', []],
      ['Projects/Atlas', ['\\Draft', '\\Deleted', '$Forwarded']],
      ['Sent', ['\\Seen']],
    ])
    expect(messages.every(({ received }) => received === 1_700_000_000)).toBe(true)
  })

  test('may have a directory for each level', async () => {
    const root = writeTree(
      place('Mail'),
      { 'INBOX/cur/1:2,S': MAIL, 'Projects/Atlas/new/2': MAIL, 'Projects/Atlas/cur/3:2,': MAIL },
      1,
    )
    expect((await readMessages(root)).map(({ mailbox }) => mailbox)).toEqual([
      'INBOX',
      'Projects/Atlas',
      'Projects/Atlas',
    ])
  })
})

describe('messages in files of their own', () => {
  test('come from a single file', async () => {
    const path = writeFile(place('letter.eml'), 'Subject: x\r\n\r\nbody')
    expect(await readMessages(path)).toMatchObject([{ mailbox: 'INBOX', flags: undefined, received: undefined }])
  })

  test('come from a tree, with its folders, and odd ones are told of', async () => {
    const root = writeTree(
      place('export'),
      {
        'a.eml': 'Subject: a\n\n',
        'Work/b.EML': 'Subject: b\n\n',
        'Work/c.eml': 'no mail at all',
        'Work/d.eml': '',
        'Work/notes.txt': 'hello',
      },
      1,
    )
    const items = await readAll(root)
    expect(items.map((item) => (item.kind === 'message' ? item.mailbox : item.reason))).toEqual([
      'Work',
      'a file does not look like mail',
      'a file is empty',
      'INBOX',
    ])
  })

  test('may lie beside mbox files in the folders of a mail program', async () => {
    const mbox = `${FROM}\nSubject: a\n\nx\n`
    const root = writeTree(
      place('profile'),
      {
        Inbox: mbox,
        'Inbox.msf': 'index',
        'Inbox.sbd/Work': mbox,
        'Old.mbox/mbox': mbox,
        'Takeout/Mail/All mail.mbox': mbox,
      },
      1,
    )
    expect((await readMessages(root)).map(({ mailbox }) => mailbox)).toEqual([
      'INBOX',
      'Inbox/Work',
      'Old',
      'Takeout/Mail/All mail',
    ])
  })
})

describe('what is no archive of mail', () => {
  test.each([
    ['nothing', undefined, 'not_found', 'there is nothing at'],
    ['an empty file', '', 'invalid_input', 'is empty'],
    ['a picture', '\x89PNG\r\n\x1a\n', 'invalid_input', 'does not look like mail'],
    ['prose', 'Dear diary,\nit rained.\n', 'invalid_input', 'does not look like mail'],
    ['a compressed file', 'PK\x03\x04\x14\x00', 'invalid_input', 'unpack it first'],
  ])('%s is refused in clear words', async (_what, content, code, message) => {
    const path = place('thing')
    if (content !== undefined) writeFile(path, Buffer.from(content, 'latin1'))
    await expect(readAll(path)).rejects.toMatchObject({
      name: 'Failure',
      code,
      message: expect.stringContaining(message),
    })
  })

  test('a directory without mail is refused in clear words', async () => {
    const root = writeTree(place('photos'), { 'a.png': 'x', 'b/c.txt': 'hello' }, 1)
    await expect(readAll(root)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('holds no mail'),
    })
  })
})
