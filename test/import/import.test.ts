/** Archives on disk brought into a local mailbox, whole, once, and through a kill. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMailArchive } from '../../src/adapters/archive/archive.ts'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { importMail } from '../../src/engine/import/import-mail.ts'
import type { ImportProgress } from '../../src/engine/import/tally.ts'
import type { LocalMailbox } from '../../src/ports/local-mailbox.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'
import { never, writeFile, writeTree } from './archives.ts'

type Local = MailSource & LocalMailbox

const FROM = 'From 1790402842612013412@xxx Thu Feb 01 10:12:13 +0000 2024'
let directory = ''
let count = 0
const opened: Local[] = []

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'postern-import-'))
})
afterAll(async () => {
  await Promise.all(opened.map((mailbox) => mailbox.close()))
  rmSync(directory, { recursive: true })
})

function place(name: string): string {
  count += 1
  return join(directory, String(count), name)
}

function local(path = place('mail.db')): Local {
  const mailbox = createLocalSource({ path, account: 'me', databases: databaseFiles })
  opened.push(mailbox)
  return mailbox
}

function run(mailbox: Local, path: string, onProgress: (progress: ImportProgress) => void = () => {}, signal = never) {
  return importMail({ archive: createMailArchive(), mailbox, clock: systemClock }, { path, signal, onProgress })
}

/** Every message of a mailbox, newest first: its flags and its bytes as text. */
async function contents(
  mailbox: Local,
  name: string,
): Promise<{ flags: readonly string[]; text: string; received: number }[]> {
  const { uids, uidvalidity } = await mailbox.find(name, { criteria: {}, take: 10_000 }, never)
  const summaries = await mailbox.summaries({ mailbox: name, uidvalidity }, uids, 0, never)
  return Promise.all(
    summaries.map(async ({ uid, flags, received }) => {
      const { bytes } = await mailbox.raw({ mailbox: name, uidvalidity }, uid, 1e9, never)
      return { flags, received, text: Buffer.from(bytes).toString('latin1') }
    }),
  )
}

function takeout(...messages: readonly (readonly [labels: string, rest: string])[]): string {
  return messages
    .map(([labels, rest]) => `${FROM}\r\nX-GM-THRID: 1\r\nX-Gmail-Labels: ${labels}\r\n${rest}\r\n\r\n`)
    .join('')
}

describe('an import', () => {
  test('of a Google Takeout files messages by their labels', async () => {
    const path = writeFile(
      place('All mail Including Spam and Trash.mbox'),
      takeout(
        ['Inbox,Unread', 'Subject: a\r\n\r\none'],
        ['Inbox,Opened,Work,Starred', 'Subject: b\r\n\r\ntwo'],
        ['Archived', 'Subject: c\r\n\r\nthree'],
      ),
    )
    const mailbox = local()
    const summary = await run(mailbox, path)
    expect(summary).toMatchObject({ read: 3, added: 3, duplicates: 0 })
    expect(summary.mailboxes).toEqual(
      new Map([
        ['INBOX', 2],
        ['Work', 1],
        ['Archive', 1],
      ]),
    )
    expect(await contents(mailbox, 'Work')).toEqual([
      {
        flags: ['\\Seen', '\\Flagged'],
        received: Date.UTC(2024, 1, 1, 10, 12, 13) / 1000,
        text: 'X-GM-THRID: 1\r\nX-Gmail-Labels: Inbox,Opened,Work,Starred\r\nSubject: b\r\n\r\ntwo\r\n',
      },
    ])
    const archive = (await mailbox.mailboxes(never)).find(({ name }) => name === 'Archive')
    expect(archive?.role).toBe('archive')
  })

  test('run again adds nothing, not even when labels have changed since', async () => {
    const mailbox = local()
    const message = 'Subject: a\r\n\r\none'
    await run(
      mailbox,
      writeFile(place('first.mbox'), takeout(['Inbox,Unread', message], ['Sent', 'Subject: b\r\n\r\n2'])),
    )
    const again = await run(
      mailbox,
      writeFile(place('second.mbox'), takeout(['Inbox,Opened', message], ['Sent', 'Subject: b\r\n\r\n2'])),
    )
    expect(again).toMatchObject({ read: 2, added: 0, duplicates: 2 })
    expect(await contents(mailbox, 'INBOX')).toHaveLength(1)
  })

  test('of a Maildir keeps folders, flags, times and bytes', async () => {
    const odd = 'Subject: \xff\n\n\x00\x01 no line end'
    const root = writeTree(
      place('Maildir'),
      { 'cur/1:2,F': 'Subject: x\n\nx\n', '.Sent Items/cur/2:2,S': 'Subject: y\n\ny\n' },
      1_600_000_000,
    )
    writeFile(join(root, 'new/3'), Buffer.from(odd, 'latin1'), 1_500_000_000)
    const mailbox = local()
    await run(mailbox, root)
    expect(await contents(mailbox, 'INBOX')).toEqual([
      { flags: ['\\Flagged'], received: 1_600_000_000, text: 'Subject: x\n\nx\n' },
      { flags: [], received: 1_500_000_000, text: odd },
    ])
    expect((await mailbox.mailboxes(never)).find(({ name }) => name === 'Sent Items')?.role).toBe('sent')
  })

  test('tells how far it is, and ends at the end', async () => {
    const path = writeFile(place('many.mbox'), manyMessages(1200))
    const seen: ImportProgress[] = []
    await run(local(), path, (progress) => seen.push(progress))
    expect(seen.length).toBeGreaterThan(3)
    expect(seen.map(({ bytesDone }) => bytesDone)).toEqual(
      seen.map(({ bytesDone }) => bytesDone).toSorted((a, b) => a - b),
    )
    expect(seen.at(-1)).toMatchObject({ messages: 1200, bytesDone: seen[0]?.bytesTotal })
  })

  test('that is stopped goes on where it was', async () => {
    const path = writeFile(place('stopped.mbox'), manyMessages(1000))
    const mailbox = local()
    const stopping = new AbortController()
    const first = run(mailbox, path, () => stopping.abort(), stopping.signal)
    await expect(first).rejects.toMatchObject({ code: 'cancelled' })
    const stored = (await contents(mailbox, 'stopped')).length
    expect(stored).toBeGreaterThan(0)
    expect(stored).toBeLessThan(1000)
    const rest = await run(mailbox, path)
    expect(rest).toMatchObject({ read: 1000 - stored, added: 1000 - stored, duplicates: 0 })
    expect(rest.resumedBytes).toBeGreaterThan(0)
    expect(await run(mailbox, path)).toMatchObject({ read: 1000, duplicates: 1000, resumedBytes: 0 })
  })

  test('starts anew when the archive has changed since it was stopped', async () => {
    const path = writeFile(place('grown.mbox'), manyMessages(600))
    const mailbox = local()
    const stopping = new AbortController()
    await expect(run(mailbox, path, () => stopping.abort(), stopping.signal)).rejects.toMatchObject({
      code: 'cancelled',
    })
    writeFile(path, `${FROM}\nSubject: at the front\n\nx\n\n${manyMessages(600)}`)
    expect(await run(mailbox, path)).toMatchObject({ read: 601, resumedBytes: 0 })
    expect(await contents(mailbox, 'grown')).toHaveLength(601)
  })

  test('that is killed at any moment loses nothing and adds nothing twice', async () => {
    const path = writeFile(place('killed.mbox'), manyMessages(3000))
    const database = place('mail.db')
    for (const wait of [0, 5, 20, 40]) await importAndKill(path, database, wait)
    const mailbox = local(database)
    await run(mailbox, path)
    const subjects = (await contents(mailbox, 'killed')).map(({ text }) => text)
    expect(subjects.toSorted()).toEqual(Array.from({ length: 3000 }, (_, at) => messageText(at)).toSorted())
  })

  test('of nothing readable says so', async () => {
    const path = writeTree(place('broken'), { 'a.eml': 'no mail', 'b.eml': '' }, 1)
    await expect(run(local(), path)).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

function messageText(at: number): string {
  return `Subject: number ${at}\nDate: Thu, 01 Feb 2024 10:12:13 +0000\n\n${'Text of it. '.repeat(40)}\n`
}

function manyMessages(many: number): string {
  return Array.from({ length: many }, (_, at) => `${FROM}\n${messageText(at)}\n`).join('')
}

/** Kills the importing process outright, a moment after it first stored something. */
async function importAndKill(path: string, database: string, wait: number): Promise<void> {
  const child = fork(join(import.meta.dirname, 'import-process.ts'), [path, database], { execArgv: [] })
  const exited = once(child, 'exit')
  await Promise.race([once(child, 'message'), exited])
  await new Promise((resolve) => setTimeout(resolve, wait))
  child.kill('SIGKILL')
  await exited
}
