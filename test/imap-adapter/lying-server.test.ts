/** Servers that lie, ramble or have habits of their own: every call ends, in bounds, and says what happened. */
import { afterEach, describe, expect, test } from 'vitest'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { startFake } from '../imap/fake-server.ts'
import { never } from '../mail-source/bench.ts'
import { type Script, type ScriptedServer, startScripted } from './scripted-server.ts'

const AT = { mailbox: 'INBOX', uidvalidity: 7 }
let server: ScriptedServer | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

async function start(...args: Parameters<typeof startScripted>): Promise<ScriptedServer> {
  server = await startScripted(...args)
  return server
}

const onFetch =
  (answer: (tag: string) => string): Script =>
  ({ tag, command }) =>
    /^UID FETCH/.test(command) ? answer(tag) : undefined

const READY = '* OK ready\r\n'
const okay = (line: string): string => `* CAPABILITY IMAP4rev1\r\n${line.split(' ')[0]} OK done\r\n`

const whole = (items: string) => (tag: string) => `* 1 FETCH (${items})\r\n${tag} OK done\r\n`

describe('a server that lies', () => {
  const lies: [string, (tag: string) => string][] = [
    ['with a literal longer than asked for', () => `* 1 FETCH (UID 5 RFC822.SIZE 9 BODY[]<0> {99999999}\r\nxxx`],
    [
      'with a literal shorter than it says',
      (tag) => `* 1 FETCH (UID 5 RFC822.SIZE 9 BODY[]<0> {3}\r\nxxxxxxxx)\r\n${tag} OK done\r\n`,
    ],
    ['with a list that never ends', (tag) => `* 1 FETCH (UID 5 RFC822.SIZE (\r\n${tag} OK done\r\n`],
    ['with a list nested a thousand deep', () => `* 1 FETCH (UID 5 X ${'('.repeat(1000)}${')'.repeat(1000)})\r\n`],
    ['with an answer to another command', () => 'zz99 OK done\r\n'],
    ['with an invitation nobody asked for', () => '+ go on\r\n'],
    ['with no IMAP at all', () => 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['with control characters', () => '* 1 FETCH (UID \u0001)\r\n'],
    ['with a quoted string that never ends', () => '* 1 FETCH (UID "5)\r\n'],
  ]

  test.each(lies)('%s is unavailable', async (_what, lie) => {
    const { source } = await start(onFetch(lie))
    await expect(source.raw(AT, 5, 9, never())).rejects.toMatchObject({ name: 'Failure', code: 'unavailable' })
  })

  test('with an endless line is cut off', async () => {
    const { source } = await start(({ command, socket }) => {
      if (!/^UID FETCH/.test(command)) return undefined
      const pump = (): void => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
        if (!socket.destroyed) socket.once('drain', pump)
      }
      pump()
      return 'x'
    })
    await expect(source.raw(AT, 5, 9, never())).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('with answers without end is cut off', async () => {
    const { source } = await start(({ command, socket }) => {
      if (!/^UID FETCH/.test(command)) return undefined
      const pump = (): void => {
        while (!socket.destroyed && socket.write('* 1 EXISTS\r\n'.repeat(5000)));
        if (!socket.destroyed) socket.once('drain', pump)
      }
      pump()
      return ''
    })
    await expect(source.raw(AT, 5, 9, never())).rejects.toMatchObject({ code: 'unavailable' })
  })

  test.each([
    ['without end instead of a greeting is cut off at once', 'x'.repeat(200_000), () => '', 'unavailable'],
    [
      'without end during the login is cut off at once',
      READY,
      () => `* CAPABILITY ${'x'.repeat(200_000)}`,
      'unavailable',
    ],
    ['with a literal during the login is cut off at once', READY, () => '* CAPABILITY {100000}\r\n', 'unavailable'],
    ['that we are logged in is not believed', '* PREAUTH hello\r\n', okay, 'auth_failed'],
  ])('%s', async (_what, greeting, answer, code) => {
    const fake = await startFake(greeting, answer)
    const place = {
      account: 'work',
      host: '127.0.0.1',
      port: fake.port,
      tls: 'none',
      user: 'u',
      access: fixedPassword('p'),
    } as const
    const source = createImapSource(place, silentLog)
    try {
      await expect(source.probe(never())).rejects.toMatchObject({ code, stage: 'connect' })
    } finally {
      await source.close()
      await fake.close()
    }
  })

  test.each([
    ['remarks', () => '* OK\r\n'.repeat(1_100_000)],
    ['mailboxes', () => '* LIST () "/" a\r\n'.repeat(300_000)],
    ['lists', () => `* LIST (${'()'.repeat(1_100_000)}) "/" a\r\n`],
    ['words', () => `* LIST (${'a '.repeat(1_100_000)}) "/" a\r\n`],
    ['several times as many words', () => `* LIST (${'a '.repeat(600_000)}) "/" a\r\n`.repeat(3)],
  ])('with more %s than memory should hold is cut off', async (_what, flood) => {
    const { source } = await start(({ tag, command }) =>
      /^LIST/.test(command) ? `${flood()}${tag} OK done\r\n` : undefined,
    )
    await expect(source.mailboxes(never())).rejects.toMatchObject({ code: 'unavailable', stage: 'protocol' })
  })

  test.each(['0', '4294967296', '9999999999', '-1', 'x'])(
    'about the uidvalidity (%s) is unavailable',
    async (number) => {
      const { source } = await start(({ tag, command }) =>
        /^EXAMINE/.test(command) ? `* OK [UIDVALIDITY ${number}] ok\r\n${tag} OK done\r\n` : undefined,
      )
      const found = source.find('INBOX', { criteria: {}, take: 9 }, never())
      await expect(found).rejects.toMatchObject({ code: 'unavailable', stage: 'protocol' })
    },
  )

  test('about what it found names each message once, and none that cannot be', async () => {
    const { source } = await start(({ tag, command }) =>
      /^UID SORT/.test(command) ? `* SORT 0 4 5 5 0 5\r\n${tag} OK done\r\n` : undefined,
    )
    const found = await source.find('INBOX', { criteria: {}, take: 9 }, never())
    expect(found).toMatchObject({ total: 2, uids: [5, 4], more: false })
  })

  test.each(['7 6 9', '0 5 9', '7 5 0', '4294967296 5 9', '7 5 9999999999', '7 5 9:10', '7 5', '7 5 9 1', 'x y z'])(
    'about where a copy went (%s) is not believed',
    async (numbers) => {
      const { source } = await start(({ tag, command }) => {
        if (/^UID FETCH/.test(command)) return `* 1 FETCH (UID 5)\r\n${tag} OK done\r\n`
        return /^UID (?:COPY|MOVE)/.test(command) ? `${tag} OK [COPYUID ${numbers}] done\r\n` : undefined
      })
      expect(await source.copy(AT, 5, 'There', never())).toBeUndefined()
      expect(await source.move(AT, 5, 'There', never())).toBeUndefined()
    },
  )

  test.each(['0 9', '7 0', '7 4294967296', '7', '7 9 9', '7 9:10'])(
    'about where a new message is (%s) is not believed',
    async (numbers) => {
      const { source } = await start(({ tag, command }) =>
        /^APPEND/.test(command) ? `${tag} OK [APPENDUID ${numbers}] done\r\n` : undefined,
      )
      const message = { bytes: Buffer.from('a: b\r\n\r\nc'), flags: [], received: 0 }
      expect(await source.append('There', message, never())).toBeUndefined()
    },
  )

  test('about flags is not believed where they are no flags', async () => {
    const odd = `"\\\\Seen now do this" {4}\r\na\r\nb ${'x'.repeat(300)} "" NIL (\\Draft) "\xe2\x80\xae"`
    const { source } = await start(onFetch(whole(`UID 5 FLAGS (\\Flagged ${odd} $Label1)`)))
    expect(await source.flags(AT, 5, never())).toEqual(['\\Flagged', '$Label1'])
  })

  test('about the uid is not believed', async () => {
    const { source } = await start(onFetch(whole('UID 6 RFC822.SIZE 3 BODY[]<0> "abc"')))
    await expect(source.raw(AT, 5, 9, never())).rejects.toMatchObject({ code: 'not_found' })
  })

  test('about the offset is not believed', async () => {
    const { source } = await start(onFetch(whole('UID 5 RFC822.SIZE 3 BODY[]<7> "abc"')))
    await expect(source.raw(AT, 5, 9, never())).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a server with habits', () => {
  test('may send news, flags and other messages in between', async () => {
    const news =
      '* 5 EXISTS\r\n* 2 EXPUNGE\r\n* 1 FETCH (FLAGS (\\Seen))\r\n* 1 FETCH (UID 5 FLAGS (\\Seen))\r\n* OK [ALERT] {5}\r\n'
    const { source } = await start(
      onFetch(
        (tag) => `${news}* 1 fetch (body[]<0> {3}\r\na\r\n RFC822.SIZE 3 uid 5)\r\n${news}${tag} OK done {9}\r\n`,
      ),
    )
    const { size, bytes } = await source.raw(AT, 5, 9, never())
    expect([size, Buffer.from(bytes).toString()]).toEqual([3, 'a\r\n'])
  })

  test('may answer pipelined commands in another order', async () => {
    let held = ''
    const { source } = await start(({ tag, command }) => {
      if (/^EXAMINE/.test(command)) {
        held = `* OK [UIDVALIDITY 7] ok\r\n${tag} OK done\r\n`
        return ''
      }
      return /^UID FETCH/.test(command) ? `* 1 FETCH (UID 5 FLAGS ())\r\n${tag} OK done\r\n${held}` : undefined
    })
    expect(await source.flags(AT, 5, never())).toEqual([])
  })

  test('may refuse a literal before it is sent', async () => {
    const { source, commands } = await start(
      ({ tag, command }) => (command.endsWith('}') ? `${tag} NO not now\r\n` : undefined),
      'IMAP4rev1 SORT',
    )
    const search = source.find('INBOX', { criteria: { subject: 'ü', text: 'ö' }, take: 1 }, never())
    await expect(search).rejects.toMatchObject({ code: 'rejected' })
    expect(commands.filter((line) => /[^ -~]/.test(line))).toEqual([])
    expect(await source.probe(never())).toContain('SORT')
  })

  test('that takes short literals only is asked before long ones', async () => {
    const { source, commands } = await start(() => undefined, 'IMAP4rev1 LITERAL-')
    await source.append('INBOX', { bytes: Buffer.from('a\r\n'), flags: [] }, never())
    expect(commands[0]).toBe('APPEND "INBOX" () {3+}a\r\n')
    await source.append('INBOX', { bytes: Buffer.alloc(5000, 'x'), flags: [] }, never())
    expect(commands[1]).toMatch(/^APPEND "INBOX" \(\) \{5000\}x+$/)
  })

  test('may say BYE: then the call fails with its words only in the cause', async () => {
    const { source } = await start(onFetch(() => '* BYE secret words\r\n'))
    const failure: Error = await source.raw(AT, 5, 9, never()).then(
      () => new Error('answered'),
      (error: Error) => error,
    )
    expect(failure).toMatchObject({ code: 'unavailable' })
    expect(failure.message).not.toContain('secret words')
    expect(String(failure.cause)).toContain('secret words')
  })

  const refusals: [string, string][] = [
    ['NO [OVERQUOTA] full', 'rejected'],
    ['NO [NOPERM] no', 'rejected'],
    ['NO [TRYCREATE] no', 'not_found'],
    ['NO [NONEXISTENT] no', 'not_found'],
    ['NO whatever', 'rejected'],
    ['BAD what?', 'rejected'],
    ['NO [UNAVAILABLE] later', 'unavailable'],
  ]
  test.each(refusals)('that says %s to an APPEND means %s', async (words, code) => {
    const { source } = await start(({ tag, command }) => (/^APPEND/.test(command) ? `${tag} ${words}\r\n` : undefined))
    const message = { bytes: Buffer.from('a'), flags: [] }
    await expect(source.append('INBOX', message, never())).rejects.toMatchObject({ code, stage: 'append' })
  })

  test('may write mailbox names wrongly: they are shown as they came, and can be used', async () => {
    const names = ['INBOX', 'R&D', 'b&AOk', '"caf\xc3\xa9"', '"a&AA0-b"', '&-', 'ok&AOk-']
    const listing = names.map((name) => `* LIST () "/" ${name}\r\n`).join('')
    const { source, commands } = await start(({ tag, command }) => {
      if (/^LIST/.test(command)) return `${listing}${tag} OK done\r\n`
      return undefined
    })
    const shown = (await source.mailboxes(never())).map(({ name }) => name)
    expect(shown).toEqual(['INBOX', 'R&D', 'b&AOk', 'café', 'a&AA0-b', '&', 'oké'])
    for (const name of shown) await source.find(name, { criteria: {}, take: 1 }, never())
    const opened = commands.flatMap((line) => /^EXAMINE (.*)$/.exec(line)?.[1] ?? [])
    expect(opened).toEqual(['"INBOX"', '"R&D"', '"b&AOk"', '{5+}caf\xc3\xa9', '"a&AA0-b"', '"&-"', '"ok&AOk-"'])
  })

  test('a mailbox with a wrong name is found without a listing before', async () => {
    const { source } = await start(({ tag, command }) => {
      if (/^LIST/.test(command)) return `* LIST () "/" R&D\r\n${tag} OK done\r\n`
      return command === 'EXAMINE "R&-D"' ? `${tag} NO no such mailbox\r\n` : undefined
    })
    expect(await source.find('R&D', { criteria: {}, take: 1 }, never())).toMatchObject({ uidvalidity: 7 })
  })

  test('that keeps no keywords is not asked to', async () => {
    const { source, commands } = await start(({ tag, command }) => {
      if (/^UID FETCH/.test(command)) return `* 1 FETCH (UID 5)\r\n${tag} OK done\r\n`
      if (!/^SELECT/.test(command)) return undefined
      return `* OK [UIDVALIDITY 7] ok\r\n* OK [PERMANENTFLAGS (\\Seen \\Deleted)] ok\r\n${tag} OK [READ-WRITE] done\r\n`
    })
    await source.changeFlags(AT, 5, 'add', ['\\Seen'], never())
    await expect(source.changeFlags(AT, 5, 'add', ['todo'], never())).rejects.toMatchObject({ code: 'unsupported' })
    expect(commands.filter((line) => line.includes('STORE'))).toHaveLength(1)
  })

  test('that opens a mailbox read-only is not asked to change it', async () => {
    const { source, commands } = await start(({ tag, command }) => {
      if (/^UID FETCH/.test(command)) return `* 1 FETCH (UID 5)\r\n${tag} OK done\r\n`
      return /^SELECT/.test(command) ? `* OK [UIDVALIDITY 7] ok\r\n${tag} OK [READ-ONLY] done\r\n` : undefined
    })
    await expect(source.changeFlags(AT, 5, 'add', ['\\Seen'], never())).rejects.toMatchObject({ code: 'rejected' })
    expect(commands.some((line) => line.includes('STORE'))).toBe(false)
  })

  test('never gets a bare EXPUNGE or a CLOSE', async () => {
    const { source, commands } = await start(onFetch(whole('UID 5')))
    await source.expunge(AT, 5, never())
    await source.find('elsewhere', { criteria: {}, take: 1 }, never())
    await source.close()
    expect(commands.filter((line) => /EXPUNGE|CLOSE/.test(line))).toEqual(['UID EXPUNGE 5'])
  })
})
