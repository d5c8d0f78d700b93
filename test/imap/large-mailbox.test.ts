/** A mailbox with more messages than a search may match: without criteria it is listed all the same. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeServer, startFake } from './fake-server.ts'
import { type Postern, startPostern } from './postern.ts'

const MESSAGES = 25_000

describe.each(['SORT', ''])('a server with the capability %j', (sort) => {
  let server: FakeServer
  let postern: Postern

  beforeAll(async () => {
    server = await startLarge(sort)
    const account = { HOST: '127.0.0.1', PORT: String(server.port), SECURE: 'false', USER: 'ada', PASS: 'secret-word' }
    postern = await startPostern(
      Object.fromEntries(Object.entries(account).map(([name, value]) => [`MAIL_IMAP_DEFAULT_${name}`, value])),
    )
  })
  afterAll(async () => {
    await postern.close()
    await server.close()
  })

  test('it is paged through without criteria, newest first', async () => {
    const first = await postern.call('imap_search_messages', { mailbox: 'INBOX', limit: 2 })
    expect(first.data).toMatchObject({ status: 'ok', total: MESSAGES, has_more: true })
    const { next_cursor: cursor } = first.data as { next_cursor?: string }
    const second = await postern.call('imap_search_messages', { mailbox: 'INBOX', limit: 2, cursor })
    const uids = [first, second].flatMap(({ data }) => data.messages.map(({ uid }) => uid))
    expect(uids).toEqual([MESSAGES, MESSAGES - 1, MESSAGES - 2, MESSAGES - 3])
  })

  test('criteria that match as many are refused with their number', async () => {
    const refusal = await postern.refusal('imap_search_messages', { mailbox: 'INBOX', from: 'a' })
    expect(refusal.data).toMatchObject({ code: 'invalid_input', details: { matches: MESSAGES } })
  })
})

function startLarge(sort: string): Promise<FakeServer> {
  const able = `IMAP4rev1 ${sort}`.trim()
  const all = Array.from({ length: MESSAGES }, (_, at) => at + 1)
  return startFake(`* OK [CAPABILITY ${able}] hello\r\n`, (line) => {
    const [tag = '', first = '', second = '', set = ''] = line.split(' ')
    const command = first.toUpperCase() === 'UID' ? second.toUpperCase() : first.toUpperCase()
    const told = (...data: string[]): string => [...data.map((one) => `* ${one}`), `${tag} OK done`, ''].join('\r\n')
    switch (command) {
      case 'CAPABILITY':
        return told(`CAPABILITY ${able}`)
      case 'LIST':
        return told('LIST () "/" INBOX')
      case 'EXAMINE':
        return told(`${MESSAGES} EXISTS`, 'OK [UIDVALIDITY 7] ok', `OK [UIDNEXT ${MESSAGES + 1}] ok`)
      case 'SEARCH':
      case 'SORT':
        return told(`${command} ${all.join(' ')}`)
      case 'FETCH':
        return told(...uidsIn(set).map((uid) => fetched(uid, line)))
      default:
        return told()
    }
  })
}

function fetched(uid: number, line: string): string {
  const day = String((uid % 28) + 1).padStart(2, '0')
  const date = `"01-Jan-2024 00:00:${String(Math.floor(uid / 1000)).padStart(2, '0')} +0000"`
  if (!line.includes('HEADER')) return `${uid} FETCH (UID ${uid} INTERNALDATE ${date})`
  const header = `Subject: message ${uid} of day ${day}\r\n\r\n`
  const rest = `FLAGS () INTERNALDATE ${date} RFC822.SIZE 100`
  return `${uid} FETCH (UID ${uid} ${rest} BODY[HEADER.FIELDS (SUBJECT)]<0> {${header.length}}\r\n${header})`
}

function uidsIn(set: string): number[] {
  return set.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split(':').map(Number)
    return Array.from({ length: to - from + 1 }, (_, at) => from + at)
  })
}
