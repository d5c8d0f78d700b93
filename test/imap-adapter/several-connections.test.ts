/**
 * Several connections may have the same mailbox open, and a server need not tell any of them what has happened since: what
 * follows a search is as new as the search, whichever of them is asked.
 */
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { MailFeed } from '../../src/ports/mail-feed.ts'
import type { MailboxAt } from '../../src/ports/mail-source.ts'
import { never } from '../mail-source/bench.ts'
import { type Said, type ScriptedServer, startScripted } from './scripted-server.ts'

const ALL = { criteria: {}, take: 10 }
const AT = { mailbox: 'INBOX', uidvalidity: 7 }
const DATE = 'INTERNALDATE "01-Jan-2026 00:00:00 +0000" RFC822.SIZE 10'
const STRUCTURE = 'BODYSTRUCTURE ("TEXT" "PLAIN" NIL NIL NIL "7BIT" 1 1)'

let flags = ''
/** A search is answered when this is. */
let held: Promise<void> | undefined
let server: ScriptedServer

beforeEach(() => {
  flags = ''
  held = undefined
})
afterEach(() => server.stop())

/** Of its one message it shows the flags that it had when the mailbox was opened. */
function script(): (said: Said) => string | undefined {
  const shown = new Map<Socket, string>()
  return ({ tag, command, socket }) => {
    if (command.startsWith('EXAMINE')) shown.set(socket, flags)
    if (command.startsWith('UID SORT')) {
      const answer = `* SORT 1\r\n${tag} OK\r\n`
      if (held === undefined) return answer
      void held.then(() => socket.write(answer))
      return ''
    }
    if (!command.startsWith('UID FETCH')) return undefined
    const fields = /BODY\.PEEK(\[[^\]]*\])/.exec(command)?.[1]
    const header = fields === undefined ? '' : ` BODY${fields}<0> {2}\r\n\r\n`
    return `* 1 FETCH (UID 1 FLAGS (${shown.get(socket)}) ${DATE} ${STRUCTURE}${header})\r\n${tag} OK\r\n`
  }
}

type Read = (at: MailboxAt) => Promise<readonly { readonly flags: readonly string[] }[]>
const READS: readonly [string, Read][] = [
  ['a listing', (at) => server.source.summaries(at, [1], 0, never())],
  ['what rules look at', (at) => server.source.traits(at, [1], { fields: [], structure: false }, never())],
]

describe.each(READS)('%s', (_what, read) => {
  beforeEach(async () => {
    server = await startScripted(script())
    await Promise.all([server.source.find('INBOX', ALL, never()), server.source.find('INBOX', ALL, never())])
    flags = '\\Flagged'
  })

  test('is as new as the search before it', async () => {
    await server.source.find('INBOX', ALL, never())
    expect(await read(AT)).toMatchObject([{ flags: ['\\Flagged'] }])
  })

  test('of what was found elsewhere is of this moment', async () => {
    expect(await read({ ...AT, kept: true })).toMatchObject([{ flags: ['\\Flagged'] }])
  })

  test('needs no opening of its own where the search was just there', async () => {
    const one = await startScripted(script(), undefined, { maxConnections: 1 })
    await server.stop()
    server = one
    await server.source.find('INBOX', ALL, never())
    await read(AT)
    expect(server.commands.filter((command) => command.startsWith('EXAMINE'))).toHaveLength(1)
  })
})

test('what a mirror is filled from is no older than its call, though a mailbox is open that answers later', async () => {
  server = await startScripted(script(), undefined, { maxConnections: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  held = promise
  const slow = server.source.find('INBOX', ALL, never())
  await expect.poll(() => server.commands.some((command) => command.startsWith('UID SORT'))).toBe(true)
  flags = '\\Flagged'
  const batches = (server.source as unknown as MailFeed).rows(AT, { from: 1, to: 1 }, never())
  const first = batches[Symbol.asyncIterator]().next()
  resolve()
  await slow
  expect((await first).value).toMatchObject([{ uid: 1, flags: ['\\Flagged'] }])
})
