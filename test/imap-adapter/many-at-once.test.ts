/** Servers that lack something, or lie, when many messages are read or removed at once. */
import { afterEach, describe, expect, test } from 'vitest'
import { never } from '../mail-source/bench.ts'
import { type Script, type ScriptedServer, startScripted } from './scripted-server.ts'

const AT = { mailbox: 'INBOX', uidvalidity: 7 }
const AROUND = 'FLAGS (\\Seen \\Recent) INTERNALDATE "01-Jan-2024 00:00:00 +0000"'
const SELECTED = '* OK [UIDVALIDITY 7] ok\r\n'

let server: ScriptedServer | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

async function start(...args: Parameters<typeof startScripted>): Promise<ScriptedServer> {
  server = await startScripted(...args)
  return server
}

/** Says these lines, untagged, and OK. */
const onCommand =
  (pattern: RegExp, ...lines: readonly string[]): Script =>
  ({ tag, command }) =>
    pattern.test(command) ? `${lines.map((line) => `* ${line}\r\n`).join('')}${tag} OK done\r\n` : undefined

const onFetch = (...lines: readonly string[]): Script => onCommand(/^UID FETCH/, ...lines)

describe('fence', () => {
  test.each([
    ['SEARCH 3 40 12', 41],
    ['SEARCH', 1],
  ])('where the server does not tell it is counted (%s)', async (found, uid) => {
    const { source } = await start(({ tag, command }) => {
      if (/^EXAMINE/.test(command)) return `${SELECTED}${tag} OK done\r\n`
      return /^UID SEARCH ALL/.test(command) ? `* ${found}\r\n${tag} OK done\r\n` : undefined
    })
    expect(await source.fence('INBOX', never())).toEqual({ uidvalidity: 7, uid })
  })

  test('is asked for each time', async () => {
    let next = 10
    const { source } = await start(({ tag, command }) => {
      if (!/^EXAMINE/.test(command)) return undefined
      next += 1
      return `${SELECTED}* OK [UIDNEXT ${next}] ok\r\n${tag} OK done\r\n`
    })
    const looks = [await source.fence('INBOX', never()), await source.fence('INBOX', never())]
    expect(looks.map(({ uid }) => uid)).toEqual([11, 12])
  })
})

describe('rawMany', () => {
  test('may come in pieces, twice, in any order, among news of other messages', async () => {
    const { source } = await start(
      onFetch(
        '9 FETCH (UID 99 FLAGS (\\Seen))',
        `9 FETCH (UID 98 ${AROUND} BODY[]<0> "not asked for")`,
        `3 FETCH (${AROUND} BODY[]<0> {3}\r\nb\r\n UID 6)`,
        `2 FETCH (UID 5 ${AROUND})`,
        '2 FETCH (UID 5 BODY[]<0> {3}\r\na\r\n)',
        `3 FETCH (${AROUND} BODY[]<0> "other" UID 6)`,
      ),
    )
    const whole = await source.rawMany(AT, [5, 6, 7], 100, never())
    expect(whole.map(({ uid, bytes }) => [uid, Buffer.from(bytes).toString()])).toEqual([
      [5, 'a\r\n'],
      [6, 'b\r\n'],
    ])
    expect(whole[0]?.flags).toEqual(['\\Seen'])
  })

  test.each([
    ['no date', '2 FETCH (UID 5 FLAGS () BODY[]<0> "abc")'],
    ['no flags', '2 FETCH (UID 5 INTERNALDATE "01-Jan-2024 00:00:00 +0000" BODY[]<0> "abc")'],
    ['no bytes', `2 FETCH (UID 5 ${AROUND} BODY[]<0> NIL)`],
    ['bytes from the middle', `2 FETCH (UID 5 ${AROUND} BODY[]<7> "abc")`],
  ])('with %s is not there', async (_what, answer) => {
    const { source } = await start(onFetch(answer))
    expect(await source.rawMany(AT, [5], 100, never())).toEqual([])
  })

  test('is judged by what came, whatever size the server tells', async () => {
    const { source, commands } = await start(onFetch(`2 FETCH (UID 5 RFC822.SIZE 2 ${AROUND} BODY[]<0> "abcd")`))
    await expect(source.rawMany(AT, [5], 3, never())).rejects.toMatchObject({ code: 'too_large' })
    expect(await source.rawMany(AT, [5], 4, never())).toHaveLength(1)
    expect(commands.filter((line) => line.includes('BODY.PEEK[]<0.5>'))).toHaveLength(1)
  })

  test('with far more than was asked for is cut off', async () => {
    const large = `2 FETCH (UID 5 ${AROUND} BODY[]<0> {99999999}\r\nxxx`
    const { source } = await start(onFetch(large))
    await expect(source.rawMany(AT, [5], 1000, never())).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('without end is cut off', async () => {
    const again = `2 FETCH (UID 5 ${AROUND} BODY[]<0> {50000}\r\n${'x'.repeat(50_000)})`
    const { source } = await start(onFetch(...Array.from({ length: 200 }, () => again)))
    await expect(source.rawMany(AT, [5], 60_000, never())).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('removeMany', () => {
  const written = ({ commands }: ScriptedServer): readonly string[] =>
    commands.filter((line) => /STORE|EXPUNGE|CLOSE/.test(line))
  const STORE = 'UID STORE 5:6,9 +FLAGS.SILENT (\\Deleted)'

  test('flags and expunges just these', async () => {
    const scripted = await start(() => undefined)
    expect(await scripted.source.removeMany(AT, [9, 5, 6], never())).toBe('expunged')
    await scripted.source.find('elsewhere', { criteria: {}, take: 1 }, never())
    await scripted.source.close()
    expect(written(scripted)).toEqual([STORE, 'UID EXPUNGE 5:6,9'])
  })

  test('only flags where the server can expunge no single message', async () => {
    const scripted = await start(() => undefined, 'IMAP4rev1')
    expect(await scripted.source.removeMany(AT, [9, 5, 6], never())).toBe('flagged')
    expect(written(scripted)).toEqual([STORE])
  })

  test('of messages that stay tries once more, just those', async () => {
    let looks = 0
    const scripted = await start(({ tag, command }) => {
      const first = command.startsWith('UID SEARCH UID') && ++looks === 1
      return first ? `* SEARCH 6 99\r\n${tag} OK done\r\n` : undefined
    })
    expect(await scripted.source.removeMany(AT, [9, 5, 6], never())).toBe('expunged')
    const again = ['UID STORE 6 +FLAGS.SILENT (\\Deleted)', 'UID EXPUNGE 6']
    expect(written(scripted)).toEqual([STORE, 'UID EXPUNGE 5:6,9', ...again])
  })

  test('of messages that stay, though flagged, says so', async () => {
    const { source } = await start(onCommand(/^UID SEARCH UID/, 'SEARCH 5 99'))
    expect(await source.removeMany(AT, [5, 6], never())).toBe('flagged')
  })

  test.each(['IMAP4rev1', 'IMAP4rev1 UIDPLUS'])(
    'that was not done in spite of an OK is a failure (%s)',
    async (can) => {
      const { source } = await start(onCommand(/^UID SEARCH/, 'SEARCH 6'), can)
      await expect(source.removeMany(AT, [5, 6], never())).rejects.toMatchObject({ code: 'rejected' })
    },
  )

  test('is not believed to have failed because the look afterwards did', async () => {
    const { source } = await start(({ tag, command }) => (/SEARCH/.test(command) ? `${tag} NO no\r\n` : undefined))
    expect(await source.removeMany(AT, [5], never())).toBe('expunged')
  })

  test.each([
    ['STORE', 'store'],
    ['EXPUNGE', 'expunge'],
  ])('whose %s is refused is a failure of that stage', async (name, stage) => {
    const { source } = await start(({ tag, command }) =>
      command.startsWith(`UID ${name}`) ? `${tag} NO [NOPERM] no\r\n` : undefined,
    )
    await expect(source.removeMany(AT, [5], never())).rejects.toMatchObject({ code: 'rejected', stage })
  })

  test.each([
    ['under another uidvalidity', '* OK [UIDVALIDITY 8] ok\r\n', 'OK', 'conflict'],
    ['read-only', SELECTED, 'OK [READ-ONLY]', 'rejected'],
    ['that keeps no such flag', `${SELECTED}* OK [PERMANENTFLAGS (\\Seen)] ok\r\n`, 'OK', 'unsupported'],
  ])('in a mailbox %s sends nothing', async (_what, words, answer, code) => {
    const scripted = await start(({ tag, command }) =>
      /^SELECT/.test(command) ? `${words}${tag} ${answer} done\r\n` : undefined,
    )
    await expect(scripted.source.removeMany(AT, [5], never())).rejects.toMatchObject({ code })
    expect(written(scripted)).toEqual([])
  })

  test('whose answer is lost is outcome_unknown, and is not sent again', async () => {
    const scripted = await start(({ command, socket }) => {
      if (!/^UID EXPUNGE/.test(command)) return undefined
      socket.destroy()
      return ''
    })
    await expect(scripted.source.removeMany(AT, [5], never())).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(written(scripted).filter((line) => line.includes('STORE'))).toHaveLength(1)
  })

  test('of nothing asks nobody', async () => {
    const scripted = await start(() => undefined)
    expect(await scripted.source.removeMany(AT, [], never())).toBe('expunged')
    expect(scripted.commands).toEqual([])
  })
})
