/** Servers that refuse, hang up, fall silent or lie while many messages are sent to them without waiting. */
import type { Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Appended, NewMessage } from '../../src/ports/mail-source.ts'
import { never } from '../mail-source/bench.ts'
import { type Said, type Script, type ScriptedServer, startScripted } from './scripted-server.ts'

const SYNCHRONISING = 'IMAP4rev1 UIDPLUS'
const ONE_LINE = { maxConnections: 1 }
let server: ScriptedServer | undefined
afterEach(async () => {
  vi.restoreAllMocks()
  await server?.stop()
  server = undefined
})

async function start(...args: Parameters<typeof startScripted>): Promise<ScriptedServer> {
  server = await startScripted(...args)
  return server
}

const messages = (count: number, bytes = 20): NewMessage[] =>
  Array.from({ length: count }, (_, index) => ({ bytes: Buffer.alloc(bytes, 97 + (index % 26)), flags: [] }))
const kinds = (endings: readonly Appended[]): string[] => endings.map(({ kind }) => kind)
const failures = (endings: readonly Appended[]): unknown[] =>
  endings.flatMap((ending) => (ending.kind === 'done' ? [] : [ending.failure]))
const times = (count: number, kind: string): string[] => Array.from({ length: count }, () => kind)
const appends = ({ commands }: ScriptedServer): readonly string[] => commands.filter((line) => /^APPEND/.test(line))

/** Does something at the nth whole APPEND. */
function atAppend(nth: number, act: (said: Said) => string | undefined): Script {
  let count = 0
  return (said) => {
    if (!/^APPEND/.test(said.command) || /\{[0-9]+\+?\}$/.test(said.command)) return undefined
    count += 1
    return count === nth ? act(said) : undefined
  }
}

describe('a server that refuses the third of ten', () => {
  test.each([
    ['NO [OVERQUOTA] full', 'rejected', /quota/],
    ['NO [TOOBIG] large', 'rejected', /larger/],
    ['NO [TRYCREATE] where?', 'not_found', /destination/],
    ['NO [UNAVAILABLE] later', 'unavailable', /./],
    ['BAD what?', 'rejected', /./],
  ])('with %s gets the others, and only that one is %s', async (words, code, message) => {
    const scripted = await start(atAppend(3, ({ tag }) => `${tag} ${words}\r\n`))
    const endings = await scripted.source.appendEach('There', messages(10), never())
    expect(kinds(endings)).toEqual(['done', 'done', 'refused', ...times(7, 'done')])
    expect(failures(endings)).toEqual([expect.objectContaining({ code, stage: 'append' })])
    expect(failures(endings)).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })])
    expect(appends(scripted)).toHaveLength(10)
  })

  test('before its literal is sent does not get that literal, but all the others', async () => {
    let asked = 0
    const refuse: Script = ({ tag, command }) => {
      if (!/^APPEND.*\}$/.test(command)) return undefined
      asked += 1
      return asked === 3 ? `${tag} NO [OVERQUOTA] full\r\n` : undefined
    }
    const scripted = await start(refuse, SYNCHRONISING)
    const endings = await scripted.source.appendEach('There', messages(10), never())
    expect(kinds(endings)).toEqual(['done', 'done', 'refused', ...times(7, 'done')])
    expect(appends(scripted).join()).not.toContain('ccc')
    expect(appends(scripted)).toHaveLength(9)
  })

  test('while it is on its way is given the rest of it all the same', async () => {
    let early = (): void => undefined
    const scripted = await start(
      ({ command, socket }) => {
        if (/^EXAMINE/.test(command)) early = (): void => refuseNext(socket)
        return /^APPEND/.test(command) ? '' : undefined
      },
      undefined,
      ONE_LINE,
    )
    await scripted.source.fence('There', never())
    early()
    const endings = await scripted.source.appendEach('There', messages(1, 8_000_000), never())
    expect(kinds(endings)).toEqual(['refused'])
    await scripted.source.probe(never())
    expect(scripted.commands.map((line) => line.slice(0, 6))).toEqual(['EXAMIN', 'APPEND', 'NOOP'])
  })

  test('and hangs up leaves those behind it unknown', async () => {
    const { source } = await start(
      atAppend(3, ({ tag, socket }) => {
        socket.end(`${tag} BAD what?\r\n`)
        return ''
      }),
    )
    const endings = await source.appendEach('There', messages(10), never())
    expect(kinds(endings)).toEqual(['done', 'done', 'refused', ...times(7, 'unknown')])
    for (const failure of failures(endings).slice(1)) {
      expect(failure).toMatchObject({ code: 'outcome_unknown', stage: 'append' })
    }
  })
})

/** Says NO as soon as the next command has begun to arrive. */
function refuseNext(socket: Socket): void {
  socket.once('data', (chunk: Buffer) => {
    socket.write(`${chunk.toString('latin1').split(' ')[0]} NO [OVERQUOTA] full\r\n`)
  })
}

describe('a server that takes literals only', () => {
  test('after being asked is asked each time', async () => {
    const scripted = await start(() => undefined, SYNCHRONISING)
    expect(kinds(await scripted.source.appendEach('There', messages(5), never()))).toEqual(times(5, 'done'))
    expect(appends(scripted).every((line) => line.includes('{20}'))).toBe(true)
  })

  test('up to 4096 bytes without asking is asked for longer ones', async () => {
    const scripted = await start(() => undefined, 'IMAP4rev1 LITERAL-')
    const mixed = [...messages(2, 4096), ...messages(2, 4097), ...messages(1, 5)]
    expect(kinds(await scripted.source.appendEach('There', mixed, never()))).toEqual(times(5, 'done'))
    const marks = appends(scripted).map((line) => /\{[0-9]+\+?\}/.exec(line)?.[0])
    expect(marks).toEqual(['{4096+}', '{4096+}', '{4097}', '{4097}', '{5+}'])
  })
})

describe('a server that says no more', () => {
  test('leaves what it answered as it is, and what it did not answer unknown', async () => {
    const silent = atAppend(3, () => '')
    const { source } = await start((said) => silent(said), undefined, { socketTimeoutMs: 1500 })
    const endings = await source.appendEach('There', messages(4), never())
    expect(kinds(endings)).toEqual(['done', 'done', 'unknown', 'done'])
  })

  test('and takes no more: what has not begun to leave is refused', async () => {
    const deaf: Script = ({ command, socket }) => {
      if (/^EXAMINE/.test(command)) setImmediate(() => socket.pause())
      return undefined
    }
    const { source } = await start(deaf, undefined, { ...ONE_LINE, socketTimeoutMs: 1500 })
    await source.fence('There', never())
    const endings = await source.appendEach('There', messages(20, 3_000_000), never())
    const seen = kinds(endings)
    expect(seen[0]).toBe('unknown')
    expect(seen.at(-1)).toBe('refused')
    expect(seen).toEqual([...seen].sort().reverse())
    // What the server never heard is not what it refused.
    expect(failures(endings).at(-1)).toMatchObject({ code: 'unavailable', stage: 'connection' })
  })

  test('while the caller gives up: the same', async () => {
    const stop = new AbortController()
    const { source } = await start(
      atAppend(2, () => {
        setTimeout(() => stop.abort(), 100)
        return ''
      }),
    )
    const endings = await source.appendEach('There', messages(2), stop.signal)
    expect(kinds(endings)).toEqual(['done', 'unknown'])
  })

  test('on a kept connection is found out before anything is sent', async () => {
    let deaths = 0
    const scripted = await start(({ command, socket }) => {
      if (!/^NOOP/.test(command) || deaths > 0) return undefined
      deaths += 1
      socket.destroy()
      return ''
    })
    await scripted.source.fence('There', never())
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000)
    expect(kinds(await scripted.source.appendEach('There', messages(2), never()))).toEqual(['done', 'done'])
    expect([deaths, appends(scripted).length]).toEqual([1, 2])
  })
})

describe('a server that lies', () => {
  test('that it has what it cannot have is not believed', async () => {
    let lie = (): void => undefined
    const { source } = await start(
      ({ command, socket }) => {
        if (/^EXAMINE/.test(command)) lie = (): void => claimNext(socket)
        return undefined
      },
      undefined,
      ONE_LINE,
    )
    await source.fence('There', never())
    lie()
    expect(kinds(await source.appendEach('There', messages(1, 30_000_000), never()))).toEqual(['unknown'])
  })

  test.each(['0 9', '7 4294967296', '7 9:10', '7'])('about where a message went (%s) is not believed', async (code) => {
    const { source } = await start(atAppend(1, ({ tag }) => `${tag} OK [APPENDUID ${code}] done\r\n`))
    expect(await source.appendEach('There', messages(1), never())).toEqual([{ kind: 'done', placed: undefined }])
  })

  test('about where messages went is believed where it can be true', async () => {
    const { source } = await start(({ tag, command }) => {
      const [, letters = ''] = /\}(.)/.exec(command) ?? []
      return letters === '' ? undefined : `${tag} OK [APPENDUID 7 ${letters.charCodeAt(0)}] done\r\n`
    })
    const endings = await source.appendEach('There', messages(2), never())
    expect(endings).toEqual([97, 98].map((uid) => ({ kind: 'done', placed: { uidvalidity: 7, uid } })))
  })
})

/** Says that it is done as soon as the next command has begun to arrive. */
function claimNext(socket: Socket): void {
  socket.once('data', (chunk: Buffer) => {
    socket.write(`${chunk.toString('latin1').split(' ')[0]} OK [APPENDUID 7 9] done\r\n`)
    socket.pause()
  })
}

test('a message that cannot be sent is refused, and costs nobody else anything', async () => {
  const scripted = await start(() => undefined)
  const [one, two] = messages(2)
  const nul = { bytes: Buffer.from('a\0b'), flags: [] }
  const endings = await scripted.source.appendEach('There', [nul, ...(one && two ? [one, nul, two] : [])], never())
  expect(kinds(endings)).toEqual(['refused', 'done', 'refused', 'done'])
  expect(failures(endings)).toEqual(times(2, '').map(() => expect.objectContaining({ code: 'invalid_input' })))
  expect(appends(scripted)).toHaveLength(2)
})
