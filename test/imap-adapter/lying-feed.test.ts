/** Servers that were put back to an older state, or forget what has gone, and what is made of their word. */
import { afterEach, expect, test } from 'vitest'
import type { MailFeed } from '../../src/ports/mail-feed.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'
import { never } from '../mail-source/bench.ts'
import { type Script, type ScriptedServer, startScripted } from './scripted-server.ts'

const SINCE = { uidvalidity: 7, uidNext: 100, messages: 3, modseq: '50' }
const ALL = 'IMAP4rev1 UIDPLUS LITERAL+ UNSELECT ENABLE CONDSTORE QRESYNC'

let server: ScriptedServer | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

async function changesFrom(script: Script, capability = ALL) {
  server = await startScripted(script, capability)
  return (server.source as MailSource & MailFeed).changes('INBOX', SINCE, never())
}

const status = (tag: string, messages: number, uidNext: number, modseq: number): string =>
  `* STATUS INBOX (MESSAGES ${messages} UIDNEXT ${uidNext} UIDVALIDITY 7 HIGHESTMODSEQ ${modseq})\r\n${tag} OK done\r\n`

test('one that counts changes anew is asked for everything', async () => {
  const changes = await changesFrom(({ tag, command }) => {
    if (command.startsWith('STATUS')) return status(tag, 3, 100, 5)
    if (command.startsWith('UID FETCH') && !command.includes('CHANGEDSINCE')) {
      return `* 1 FETCH (UID 4 FLAGS (\\Seen))\r\n* 2 FETCH (UID 9 FLAGS ())\r\n${tag} OK done\r\n`
    }
    return undefined
  })
  expect(changes).toMatchObject({
    kind: 'changed',
    flags: [
      { uid: 4, flags: ['\\Seen'] },
      { uid: 9, flags: [] },
    ],
    gone: { kind: 'all_but', uids: [4, 9] },
  })
})

test.each([
  ['with modseqs', ALL],
  ['without', 'IMAP4rev1 UIDPLUS LITERAL+'],
])('one that gives uids out again has another mailbox, %s', async (_what, capability) => {
  const changes = await changesFrom(
    ({ tag, command }) => (command.startsWith('STATUS') ? status(tag, 3, 60, 70) : undefined),
    capability,
  )
  expect(changes).toMatchObject({ kind: 'remade', state: { uidNext: 60 } })
})

test.each([
  ['SERVERBUG', 'unavailable'],
  ['INUSE', 'unavailable'],
  ['UNAVAILABLE', 'unavailable'],
  ['NONEXISTENT', 'not_found'],
])('a mailbox that is refused with %s is %s', async (code, expected) => {
  const refusing: Script = ({ tag, command }) =>
    command.startsWith('STATUS') ? `${tag} NO [${code}] hunter2\r\n` : undefined
  await expect(changesFrom(refusing)).rejects.toMatchObject({
    code: expected,
    message: expect.not.stringMatching('hunter2'),
  })
  const feed = server?.source as (MailSource & MailFeed) | undefined
  await expect(feed?.state('INBOX', never())).rejects.toMatchObject({ code: expected })
  expect(await feed?.states(['INBOX', 'other'], never())).toEqual([undefined, undefined])
})

test('one that does not name all that are gone is asked what is there', async () => {
  const changes = await changesFrom(({ tag, command }) => {
    if (command.startsWith('STATUS')) return status(tag, 1, 100, 60)
    if (command.startsWith('UID SEARCH')) return `* SEARCH 9\r\n${tag} OK done\r\n`
    return undefined
  })
  expect(changes).toMatchObject({ kind: 'changed', gone: { kind: 'all_but', uids: [9] } })
})
