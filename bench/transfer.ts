/**
 * Moving a thousand messages from one Dovecot to another: Postern's journalled transfers beside a loop that fetches and
 * appends one message after the other with imapflow, keeps no journal, reads nothing back and never removes an original.
 *
 * INVARIANT: a time counts only where all messages arrived, and for a move where none is left behind.
 */
import { strictEqual } from 'node:assert'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ImapFlow } from 'imapflow'
import { type Dovecot, startDovecot } from '../test/dovecot/dovecot.ts'
import type { Delivery } from '../test/dovecot/maildir.ts'
import { count, least, ms, times } from './figures.ts'
import type { Section } from './report.ts'
import { inTemporaryFolder, ROOT } from './servers.ts'
import { StdioClient } from './stdio-client.ts'

const MESSAGES = 1000
const BYTES = 20_000
const AT_ONCE = 500
const ROUNDS = 3
const USER = 'mover'
const PASSWORD = 'bench'
const FIRST = Date.parse('2025-01-01T08:00:00Z') / 1000

export async function transfer(): Promise<Section> {
  return inTemporaryFolder(async (home) => {
    const from = await startDovecot({ users: { [USER]: PASSWORD } })
    const to = await startDovecot({ users: { [USER]: PASSWORD } })
    const tree = writeTree(home, from.port, to.port)
    const client = new StdioClient({
      args: [join(ROOT, 'bin', 'postern.mjs'), '--config', tree],
      env: { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_DATA_DIR: home, IMAP_MCP_CALLER_ID: 'mover' },
    })
    try {
      await client.initialize()
      const samples = { loop: [] as number[], postern: [] as number[] }
      for (let round = 0; round < ROUNDS; round += 1) {
        samples.loop.push(await timed(() => unsafeLoop(from, to, `Loop${round}`)))
        samples.postern.push(await timed(() => moveAll(client, from, to, `Moved${round}`)))
      }
      return section(least(samples.loop), least(samples.postern))
    } finally {
      await client.stop()
      await Promise.all([from.stop(), to.stop()])
    }
  })
}

function section(loop: number, ours: number): Section {
  const rate = (taken: number): string => count(MESSAGES / (taken / 1000))
  return {
    title: `Moving ${count(MESSAGES)} messages of ${BYTES / 1000} kB between two Dovecots`,
    note: `Best of ${ROUNDS} interleaved rounds, filling the source folder not counted. Postern journals each step, reads every copy back before it removes the original, and records the call; the loop only fetches and appends.`,
    head: ['', 'time', 'messages a second'],
    rows: [
      ['imapflow, FETCH and APPEND one by one', ms(loop), rate(loop)],
      ['Postern, move in calls of 500', ms(ours), rate(ours)],
    ],
    goals: [{ what: 'a safe move / the unsafe copy loop', measured: ours / loop, atMost: 1, write: times }],
  }
}

async function timed(prepare: () => Promise<() => Promise<void>>): Promise<number> {
  const work = await prepare()
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function unsafeLoop(from: Dovecot, to: Dovecot, folder: string): Promise<() => Promise<void>> {
  await from.deliver(USER, folder, mailbox())
  const [source, target] = [await connected(from.port), await connected(to.port)]
  await target.mailboxCreate(folder)
  return async () => {
    await source.mailboxOpen(folder, { readOnly: true })
    for await (const { source: bytes, flags, internalDate } of source.fetch('1:*', {
      source: true,
      flags: true,
      internalDate: true,
    })) {
      if (bytes !== undefined)
        await target.append(
          folder,
          bytes,
          [...(flags ?? [])].filter((flag) => flag !== '\\Recent'),
          internalDate,
        )
    }
    strictEqual(await countIn(target, folder), MESSAGES)
    await Promise.all([source.logout(), target.logout()])
  }
}

async function moveAll(client: StdioClient, from: Dovecot, to: Dovecot, folder: string): Promise<() => Promise<void>> {
  await from.deliver(USER, folder, mailbox())
  const [source, target] = [await connected(from.port), await connected(to.port)]
  await target.mailboxCreate(folder)
  await source.mailboxOpen(folder, { readOnly: true })
  const uids = (await source.search({ all: true }, { uid: true })) || []
  // An open mailbox shows what it was when it was last looked at.
  await source.mailboxClose()
  return async () => {
    for (let at = 0; at < uids.length; at += AT_ONCE) {
      const some = uids.slice(at, at + AT_ONCE)
      await client.call('move', { source: { account: 'from', folder, uids: some }, target: { account: 'to', folder } })
    }
    strictEqual(await countIn(target, folder), MESSAGES)
    strictEqual(await countIn(source, folder), 0)
    await Promise.all([source.logout(), target.logout()])
  }
}

async function countIn(client: ImapFlow, folder: string): Promise<number> {
  const status = await client.status(folder, { messages: true })
  return status === false ? -1 : (status.messages ?? -1)
}

async function connected(port: number): Promise<ImapFlow> {
  const auth = { user: USER, pass: PASSWORD }
  const client = new ImapFlow({ host: '127.0.0.1', port, secure: false, doSTARTTLS: false, auth, logger: false })
  await client.connect()
  return client
}

function writeTree(home: string, from: number, to: number): string {
  const tree = join(home, 'tree')
  mkdirSync(join(tree, 'policies'), { recursive: true })
  mkdirSync(join(tree, 'secrets'), { mode: 0o700 })
  writeFileSync(join(tree, 'secrets', 'mail'), PASSWORD, { mode: 0o600 })
  const account = (id: string, port: number): string =>
    `  - { id: ${id}, user: ${USER}, host: 127.0.0.1, port: ${port}, auth: { type: password, secret_ref: "secret://mail" } }\n`
  const write = (file: string, text: string): void => writeFileSync(join(tree, file), text)
  write(
    'accounts.yaml',
    `accounts:\n${account('from', from)}${account('to', to)}secret_store: { backend: file_dir, path: secrets }\n`,
  )
  write('callers.yaml', 'callers:\n  - { id: mover, policy: mover, auth: { type: stdio_trusted } }\n')
  const open = '[{ path: "**", mode: blacklist, default: FULL, move_out: true, accept_incoming: true }]'
  write('policies/mover.yaml', `name: mover\naccounts:\n  from: ${open}\n  to: ${open}\n`)
  return tree
}

function mailbox(): Delivery[] {
  const line = 'A line of a letter that says nothing in particular and is some eighty characters.'
  return Array.from({ length: MESSAGES }, (_, index) => ({
    raw: [
      `From: Sender <someone@sender${index % 40}.example>`,
      `Subject: Letter ${index}`,
      `Message-ID: <bench-${index}@example.org>`,
      '',
      ...Array.from({ length: Math.round(BYTES / 84) }, (_line, number) => `${line} ${number}`),
      '',
    ].join('\r\n'),
    received: FIRST + index * 600,
    seen: index % 3 !== 0,
  }))
}
