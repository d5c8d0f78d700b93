/** Servers with habits, and servers that lie, when very many things are looked at at once. */
import { afterEach, describe, expect, test } from 'vitest'
import { never } from '../mail-source/bench.ts'
import { type Script, type ScriptedServer, startScripted } from './scripted-server.ts'

const AT = { mailbox: 'INBOX', uidvalidity: 7 }
const SENDER = { fields: ['From'], structure: false }
const BASICS = 'FLAGS () INTERNALDATE "01-Jan-2024 00:00:00 +0000" RFC822.SIZE 9'
const HEADER = 'BODY[HEADER.FIELDS (FROM)]<0> {9}\r\nFrom: a\r\n'

let server: ScriptedServer | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

async function start(script: Script): Promise<ScriptedServer> {
  server = await startScripted(script)
  return server
}

const onFetch =
  (...answers: readonly string[]): Script =>
  ({ tag, command }) =>
    /^UID FETCH/.test(command) ? `${answers.map((line) => `* ${line}\r\n`).join('')}${tag} OK done\r\n` : undefined

describe('traits', () => {
  const from = [{ name: 'From', value: 'a' }]

  test('may come in pieces, in any order, among news of other messages', async () => {
    const { source } = await start(
      onFetch(
        '2 FETCH (FLAGS (\\Seen))',
        '9 FETCH (UID 99 FLAGS (\\Seen))',
        `3 FETCH (${BASICS} UID 6 ${HEADER})`,
        `2 FETCH (UID 5 ${BASICS})`,
        '4 EXISTS',
        `2 FETCH (UID 5 ${HEADER})`,
      ),
    )
    const traits = await source.traits(AT, [5, 6], SENDER, never())
    expect(traits.map(({ uid, header }) => ({ uid, header }))).toEqual([
      { uid: 5, header: from },
      { uid: 6, header: from },
    ])
  })

  test('of messages that were not asked for are not given', async () => {
    const { source } = await start(
      onFetch(`2 FETCH (UID 5 ${BASICS} ${HEADER})`, `3 FETCH (UID 6 ${BASICS} ${HEADER})`),
    )
    expect((await source.traits(AT, [6], SENDER, never())).map(({ uid }) => uid)).toEqual([6])
  })

  test.each([
    ['no date', `2 FETCH (UID 5 FLAGS () RFC822.SIZE 9 ${HEADER})`],
    ['a date that is none', `2 FETCH (UID 5 FLAGS () INTERNALDATE "soon" RFC822.SIZE 9 ${HEADER})`],
    ['no header', `2 FETCH (UID 5 ${BASICS})`],
    ['a header from the middle', `2 FETCH (UID 5 ${BASICS} BODY[HEADER.FIELDS (FROM)]<7> "From: a")`],
  ])('with %s are not there', async (_what, answer) => {
    const { source } = await start(onFetch(answer))
    expect(await source.traits(AT, [5], SENDER, never())).toEqual([])
  })

  test('of a message whose header cannot be read to its end are not there', async () => {
    const cut = `From: ${'x'.repeat(16_378)}`
    const { source, commands } = await start(({ tag, command }) => {
      if (!/^UID FETCH/.test(command)) return undefined
      if (command.includes('262144')) return `${tag} OK it is gone\r\n`
      return `* 2 FETCH (UID 5 ${BASICS} BODY[HEADER.FIELDS (FROM)]<0> {${cut.length}}\r\n${cut})\r\n${tag} OK done\r\n`
    })
    expect(await source.traits(AT, [5], SENDER, never())).toEqual([])
    expect(commands.filter((line) => line.includes('262144'))).toHaveLength(1)
  })

  test('without end are cut off', async () => {
    const lines = `* 2 FETCH (UID 5 ${BASICS} ${HEADER})\r\n`.repeat(60_000)
    const { source } = await start(({ tag, command }) =>
      /^UID FETCH/.test(command) ? `${lines}${tag} OK done\r\n` : undefined,
    )
    await expect(source.traits(AT, [5], SENDER, never())).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('counts', () => {
  test('are known by their names, however the server writes them', async () => {
    const { source } = await start(({ tag, command }) => {
      const [, name = ''] = /^STATUS "(.*)" \(MESSAGES\)$/.exec(command) ?? []
      if (name === '') return undefined
      const answer = name === 'INBOX' ? 'inbox' : name === 'plain' ? '{5}\r\nplain' : '"elsewhere"'
      return `* STATUS ${answer} (UIDNEXT 3 MESSAGES 12)\r\n${tag} OK done\r\n`
    })
    expect(await source.counts(['INBOX', 'plain', 'third'], never())).toEqual([12, 12, undefined])
  })

  test('of a server that does not understand are a failure', async () => {
    const { source } = await start(({ tag, command }) => (/^STATUS/.test(command) ? `${tag} BAD what?\r\n` : undefined))
    await expect(source.counts(['INBOX'], never())).rejects.toMatchObject({ code: 'rejected', stage: 'status' })
  })

  test('of a mailbox whose name is written wrongly are found by a listing', async () => {
    const { source } = await start(({ tag, command }) => {
      if (/^LIST/.test(command)) return `* LIST () "/" R&D\r\n${tag} OK done\r\n`
      if (command === 'STATUS "R&D" (MESSAGES)') return `* STATUS "R&D" (MESSAGES 4)\r\n${tag} OK done\r\n`
      return /^STATUS/.test(command) ? `${tag} NO no such mailbox\r\n` : undefined
    })
    expect(await source.counts(['R&D'], never())).toEqual([4])
  })
})

describe('a listing', () => {
  test('teaches the delimiter, though the inbox has none', async () => {
    const listing = '* LIST () NIL INBOX\r\n* LIST (\\Marked "\x01" \\HasNoChildren) "." a.b\r\n'
    const { source, commands } = await start(({ tag, command }) =>
      /^LIST/.test(command) ? `${listing}${tag} OK done\r\n` : undefined,
    )
    const mailboxes = await source.mailboxes(never())
    expect(mailboxes.map(({ attributes }) => attributes)).toEqual([[], ['\\Marked', '\\HasNoChildren']])
    expect(await source.delimiter(never())).toBe('.')
    expect(commands.filter((line) => line.startsWith('LIST'))).toHaveLength(1)
  })
})
