/** Servers that are poor at telling which messages there are: every message comes all the same, or none is called there. */
import { afterEach, expect, test } from 'vitest'
import type { MailFeed } from '../../src/ports/mail-feed.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'
import { never } from '../mail-source/bench.ts'
import { type Said, type ScriptedServer, startScripted } from './scripted-server.ts'

const ABLE = 'IMAP4rev1 LITERAL+ ESEARCH'
const UIDS = [2, 3, 5, 2999, 3000]
const NEWEST_FIRST = UIDS.toReversed()

let server: ScriptedServer | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

const STRUCTURE = '("TEXT" "PLAIN" NIL NIL NIL "7BIT" 5 1 NIL NIL NIL NIL)'
const row = (uid: number): string =>
  `* ${UIDS.indexOf(uid) + 1} FETCH (UID ${uid} FLAGS () INTERNALDATE "01-Jan-2024 00:00:00 +0000" RFC822.SIZE 10 ` +
  `BODYSTRUCTURE ${STRUCTURE} BODY[HEADER.FIELDS (DATE)]<0> {2}\r\n\r\n)\r\n`

/** The uids of a set of theirs that are there. */
function within(command: string): number[] {
  const ranges = [...command.matchAll(/(\d+)(?::(\d+))?(?=[, ]|$)/g)].map(([, from, to = from]) =>
    [from, to].map(Number),
  )
  return UIDS.filter((uid) => ranges.some(([from = 0, to = 0]) => uid >= from && uid <= to))
}

async function rowsFrom(search: (said: Said) => string, capability = ABLE) {
  server = await startScripted((said) => {
    const [, fetched] = /^UID FETCH (\S+)/.exec(said.command) ?? []
    if (fetched !== undefined) return `${within(fetched).map(row).join('')}${said.tag} OK done\r\n`
    return said.command.startsWith('UID SEARCH') ? search(said) : undefined
  }, capability)
  const found: number[] = []
  const at = { mailbox: 'INBOX', uidvalidity: 7 }
  for await (const rows of (server.source as MailSource & MailFeed).rows(at, { from: 1, to: 3000 }, never())) {
    found.push(...rows.map(({ uid }) => uid))
  }
  return found
}

const oneByOne = ({ tag, command }: Said): string =>
  `* SEARCH ${within(command).join(' ')}\r\n${tag} ${command.includes('RETURN') ? 'BAD' : 'OK'} done\r\n`
const searches = (): number => server?.commands.filter((command) => command.startsWith('UID SEARCH')).length ?? 0

test.each([
  ['refuses RETURN', ({ tag }) => `${tag} BAD what is RETURN\r\n`],
  ['says nothing', ({ tag }) => `${tag} OK done\r\n`],
  ['gives numbers of messages', ({ tag }) => `* ESEARCH (TAG "${tag}") ALL 1:3\r\n${tag} OK done\r\n`],
  ['only counts', ({ tag }) => `* ESEARCH (TAG "${tag}") UID COUNT 3\r\n${tag} OK done\r\n`],
] satisfies [string, (said: Said) => string][])(
  'one that names ranges, and %s, is asked again',
  async (_what, says) => {
    expect(await rowsFrom((said) => (said.command.includes('RETURN') ? says(said) : oneByOne(said)))).toEqual(
      NEWEST_FIRST,
    )
    expect(searches()).toBe(2)
  },
)

test.each([
  ['in any order, twice, and of messages that are not there', '5,2:3,3,1:9'],
  ['as one range of all', '1:4294967295'],
])('one that names ranges %s is believed once', async (_what, set) => {
  const found = await rowsFrom(({ tag }) => `* ESEARCH (TAG "${tag}") UID ALL ${set}\r\n${tag} OK done\r\n`)
  expect(found).toEqual(NEWEST_FIRST)
  expect(searches()).toBe(1)
})

test.each([
  ['that names ranges', ABLE],
  ['of old', 'IMAP4rev1 LITERAL+'],
])('one %s that does not say what there is fails, and nothing is taken for all', async (_what, capability) => {
  const refusing = rowsFrom(
    ({ tag }) => `* SEARCH 5\r\n${tag} NO [EXPUNGEISSUED] the password is hunter2\r\n`,
    capability,
  )
  await expect(refusing).rejects.toMatchObject({ code: 'rejected', stage: 'search' })
  await expect(refusing).rejects.not.toThrow('hunter2')
})
