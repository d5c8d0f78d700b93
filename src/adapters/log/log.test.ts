import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLog, type LogLevel, type SecretiveLog } from './log.ts'

function logged(use: (log: SecretiveLog) => void, level: LogLevel = 'debug'): string {
  const lines: string[] = []
  use(createLog({ level, destination: (line) => void lines.push(line) }))
  return lines.join('')
}

const fieldsOf = (use: (log: SecretiveLog) => void) => JSON.parse(logged(use))

test('a line is one JSON object with time, level and message', () => {
  const line = logged((log) => log.info({ account: 'work', uid: 3 }, 'hello\nworld'))
  expect(line.endsWith('}\n')).toBe(true)
  expect(line.trimEnd()).not.toContain('\n')
  expect(JSON.parse(line)).toMatchObject({ level: 'info', msg: 'hello\nworld', account: 'work', uid: 3 })
  expect(new Date(JSON.parse(line).time).toISOString()).toBe(JSON.parse(line).time)
})

test('levels below the chosen one are left out', () => {
  const all = (log: SecretiveLog): void => {
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({}, level)
  }
  expect(logged(all, 'warn').match(/"msg":"\w+"/g)).toEqual(['"msg":"warn"', '"msg":"error"'])
  expect(logged(all, 'silent')).toBe('')
})

test('fields cannot pose as the time, the level or the message', () => {
  expect(fieldsOf((log) => log.warn({ level: 'debug', msg: 'other' }, 'true'))).toMatchObject({
    level: 'warn',
    msg: 'true',
  })
})

test.each([
  'pass',
  'password',
  'PASSWORD',
  'smtp_pass',
  'passphrase',
  'token',
  'accessToken',
  'access_token',
  'refreshToken',
  'client_secret',
  'Authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'api-key',
  'apiKey',
  'auth',
  'credentials',
])('a field called %s is masked at any depth', (key) => {
  const line = logged((log) => log.error({ a: [{ b: { [key]: { deep: 'canary' } } }], [key]: 'canary' }, 'x'))
  expect(line).not.toContain('canary')
  expect(JSON.parse(line).a[0].b[key]).toBe('[hidden]')
})

test.each(['passed', 'author', 'path', 'tool', 'compassion'])('a field called %s is shown', (key) => {
  expect(fieldsOf((log) => log.info({ [key]: 'shown' }, 'x'))[key]).toBe('shown')
})

test('a hidden value is masked in messages, keys, errors, stacks and causes', () => {
  const secret = 'pa"ss\\wörd\n42'
  const cause = Object.assign(new Error(`server said ${secret}`), { response: `NO ${secret}`, [secret]: 1 })
  const line = logged((log) => {
    log.hide(secret)
    log.error({ err: new Error(`failed with ${secret}`, { cause }), list: [secret], [secret]: true }, `oh ${secret}`)
  })
  expect(line).not.toContain(JSON.stringify(secret).slice(1, -1))
  expect(line).not.toContain('wörd')
  expect(JSON.parse(line).err.cause.message).toBe('server said [hidden]')
})

test('a hidden value is masked inside base64 of anything around it', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 6 }),
      fc.string({ maxLength: 8 }),
      fc.string({ maxLength: 8 }),
      (secret, a, b) => {
        const login = Buffer.from(`${a}\0${secret}${b}`)
        const encoded = [login.toString('base64'), login.toString('base64url'), encodeURIComponent(secret)]
        const shown = fieldsOf((log) => {
          log.hide(secret)
          log.debug({ encoded }, 'x')
        }).encoded
        for (const text of shown) expect(text).toContain('[hidden]')
      },
    ),
  )
})

test('a secret of digits is masked in numbers too', () => {
  const { pin, n } = fieldsOf((log) => {
    log.hide('4711')
    log.info({ pin: 4711, n: 12 }, 'x')
  })
  expect([pin, n]).toEqual(['[hidden]', 12])
})

test('an error is shown with its code, its stack and all its causes', () => {
  const root = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  const { err } = fieldsOf((log) => log.error({ err: new TypeError('outer', { cause: root }) }, 'x'))
  expect(err).toMatchObject({
    name: 'TypeError',
    message: 'outer',
    cause: { message: 'socket hang up', code: 'ECONNRESET' },
  })
  expect(err.stack).toContain('log.test')
})

test('whatever is handed over, logging ends and does not throw', () => {
  const cycle: Record<string, unknown> = {
    big: 10n,
    nan: Number.NaN,
    fn: () => 1,
    date: new Date(Number.NaN),
    no: undefined,
  }
  for (let i = 0; i < 100; i += 1) cycle[`self${i}`] = cycle
  const hostile = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('no')
      },
    },
  )
  const getter = {
    get bad() {
      throw new Error('no')
    },
  }
  const fields = {
    getter,
    bytes: Buffer.from('canary'),
    map: new Map([['k', new Set([1])]]),
    text: 'x'.repeat(1e6),
    cycle,
  }
  const line = logged((log) => log.info(fields, 'x'))
  expect(line.length).toBeLessThan(200_000)
  expect(line).not.toContain('canary')
  expect(JSON.parse(line)).toMatchObject({ bytes: '[6 bytes]', map: { k: [1] }, getter: { bad: '[unreadable]' } })
  expect(fieldsOf((log) => log.info({ hostile }, 'still'))).toMatchObject({ msg: 'still' })
})
