/** What accounts log in with: asked for each connection, told when it was refused, kept out of every word we say. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Failure } from '../../src/core/failure.ts'
import type { Access, Credentials } from '../../src/ports/access.ts'
import { startFake } from '../imap/fake-server.ts'
import { never } from '../mail-source/bench.ts'
import { type Desk, PASSWORD, startDesk, USER } from './desk.ts'
import { openTokenOffice, type TokenOffice } from './tokens.ts'

/** Gives these one after another, the last one for ever, and notes what it is told. */
class NotedAccess implements Access {
  readonly given: Credentials[] = []
  readonly refusals: Credentials[] = []
  readonly #list: readonly Credentials[]

  constructor(...list: readonly Credentials[]) {
    this.#list = list
  }

  credentials = async (): Promise<Credentials> => {
    const next = this.#list[Math.min(this.given.length, this.#list.length - 1)]
    if (next === undefined) throw new Failure('auth_failed', 'access has to be granted anew: run the command')
    this.given.push(next)
    return next
  }

  refused = async (credentials: Credentials): Promise<void> => {
    this.refusals.push(credentials)
  }

  standing: Access['standing'] = async () => ({ state: 'active', mayWrite: true })
}

const password = (text: string): Credentials => ({ kind: 'password', password: text })
const token = (accessToken: string): Credentials => ({ kind: 'token', accessToken })

let office: TokenOffice
let desk: Desk
beforeAll(async () => {
  office = await openTokenOffice()
  desk = await startDesk({ extra: office.extra })
})
afterAll(async () => {
  await desk.stop()
  await office.stop()
})
beforeEach(() => office.valid.clear())

describe('access', () => {
  test('is asked for every connection, and only then', async () => {
    const access = new NotedAccess(password(PASSWORD))
    const source = desk.make({ access })
    await source.probe(never())
    await source.probe(never())
    expect(access.given).toHaveLength(1)
    desk.proxy.cutAll()
    await source.probe(never())
    expect([access.given.length, access.refusals]).toEqual([2, []])
  })

  test('is told of a refused password, which is not tried again', async () => {
    const access = new NotedAccess(password('wrong'))
    const before = desk.proxy.accepted()
    await expect(desk.make({ access }).probe(never())).rejects.toMatchObject({ code: 'auth_failed' })
    expect([access.given, access.refusals]).toEqual([[password('wrong')], [password('wrong')]])
    expect(desk.proxy.accepted() - before).toBe(1)
  })

  test('may give a token', async () => {
    office.valid.set('good-token', USER)
    const access = new NotedAccess(token('good-token'))
    expect(await desk.make({ access }).probe(never())).toContain('IMAP4REV1')
    expect(access.refusals).toEqual([])
  })

  test('gives another token for one that was refused', async () => {
    office.valid.set('new-token', USER)
    const access = new NotedAccess(token('old-token'), token('new-token'))
    expect(await desk.make({ access }).probe(never())).toContain('IMAP4REV1')
    expect([access.given, access.refusals]).toEqual([[token('old-token'), token('new-token')], [token('old-token')]])
  })

  test('that gives nothing better is asked no third time', async () => {
    const access = new NotedAccess(token('one'), token('two'), token('three'))
    const failure = await failureOf(desk.make({ access }).probe(never()))
    expect(failure).toMatchObject({ code: 'auth_failed', stage: 'connect' })
    expect(failure.message).toBe('the server refused the access token of account work')
    expect([access.given, access.refusals]).toEqual([
      [token('one'), token('two')],
      [token('one'), token('two')],
    ])
  })

  test('that cannot give any says why, and nothing is sent', async () => {
    desk.proxy.reset()
    const failure = await failureOf(desk.make({ access: new NotedAccess() }).probe(never()))
    expect(failure).toMatchObject({ code: 'auth_failed', message: 'access has to be granted anew: run the command' })
    expect(desk.proxy.sent()).toBe('')
  })

  test('is not told of a server that is not there', async () => {
    const access = new NotedAccess(token('good-token'))
    desk.proxy.refuse(true)
    expect(await failureOf(desk.make({ access }).probe(never()))).toMatchObject({ code: 'unavailable' })
    desk.proxy.refuse(false)
    expect(access.refusals).toEqual([])
  })

  test('stays out of what is said of a server that repeats what it was sent', async () => {
    const secret = 'tok-canary-8431'
    const fake = await startFake('* OK ready\r\n', (line) => {
      const [tag = '', command = ''] = line.split(' ')
      if (command === 'CAPABILITY') return `* CAPABILITY IMAP4rev1 SASL-IR AUTH=XOAUTH2\r\n${tag} OK done\r\n`
      return `${tag} NO [AUTHENTICATIONFAILED] you said ${line} and ${secret}\r\n`
    })
    const source = desk.make({ access: new NotedAccess(token(secret)), port: fake.port })
    const failure = await failureOf(source.probe(never()))
    await fake.close()
    const shown = JSON.stringify([failure.message, String(failure.cause), failure.details])
    expect(failure.code).toBe('auth_failed')
    expect(failure.message).not.toContain('you said')
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain(Buffer.from(`user=${USER}\x01auth=Bearer ${secret}\x01\x01`).toString('base64'))
  })
})

function failureOf(call: Promise<unknown>): Promise<Failure> {
  return call.then(
    () => {
      throw new Error('the call should have failed')
    },
    (error: Failure) => error,
  )
}
