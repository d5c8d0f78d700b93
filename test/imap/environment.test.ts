/** A server that cannot be configured says so to the person and to the client, and ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { account, PROGRAM, startPostern, surroundings, type Variables } from './postern.ts'

let dir: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pv-'))
  await writeFile(join(dir, 'empty.pem'), 'nothing\n')
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const GOOD = account('default', 993, 'ada')
const without = (name: string): Variables => Object.fromEntries(Object.entries(GOOD).filter(([key]) => key !== name))

const BROKEN: [why: string, env: Variables, named: RegExp][] = [
  ['no account at all', {}, /MAIL_IMAP_DEFAULT_HOST.*postern demo/],
  ['no user', without('MAIL_IMAP_DEFAULT_USER'), /MAIL_IMAP_DEFAULT_USER is required/],
  [
    'a port that is none',
    { ...GOOD, MAIL_IMAP_DEFAULT_PORT: 'imaps' },
    /MAIL_IMAP_DEFAULT_PORT must be a whole number/,
  ],
  ['a gate that is none', { ...GOOD, MAIL_IMAP_WRITE_ENABLED: 'yes' }, /MAIL_IMAP_WRITE_ENABLED must be true or false/],
  [
    'a time that is none',
    { ...GOOD, MAIL_IMAP_SOCKET_TIMEOUT_MS: '1s' },
    /MAIL_IMAP_SOCKET_TIMEOUT_MS must be a whole number/,
  ],
  [
    'two names for one account',
    { ...GOOD, MAIL_IMAP_Default_HOST: 'x', MAIL_IMAP_Default_USER: 'x', MAIL_IMAP_Default_PASS: 'x' },
    /MAIL_IMAP_(Default|DEFAULT)_HOST and MAIL_IMAP_(Default|DEFAULT)_HOST/,
  ],
  ['an authority that is not there', { ...GOOD, MAIL_IMAP_CA_CERT_PATH: '/nowhere.pem' }, /MAIL_IMAP_CA_CERT_PATH/],
  [
    'several at once',
    { ...GOOD, MAIL_IMAP_DEFAULT_PORT: 'x', MAIL_IMAP_WRITE_ENABLED: 'x' },
    /DEFAULT_PORT.*WRITE_ENABLED/,
  ],
]

test.each(BROKEN)('%s: the first request is answered with why, and the process ends with 1', async (_, env, named) => {
  const { answers, errors, code } = await firstAnswer(env)
  expect(answers).toEqual([{ jsonrpc: '2.0', id: 7, error: { code: -32002, message: expect.stringMatching(named) } }])
  expect(answers[0]?.error?.message).not.toContain('\n')
  expect(errors).toMatch(named)
  expect(code).toBe(1)
  for (const text of [errors, JSON.stringify(answers)]) expect(text).not.toContain(GOOD['MAIL_IMAP_DEFAULT_PASS'])
})

interface Ended {
  readonly answers: readonly { readonly error?: { readonly code: number; readonly message: string } }[]
  readonly errors: string
  readonly code: number | null
}

async function firstAnswer(env: Variables): Promise<Ended> {
  const own = { PATH: process.env['PATH'] ?? '', ...surroundings(env, dir) }
  const child = spawn(process.execPath, [PROGRAM], { env: own, stdio: 'pipe' })
  let [output, errors] = ['', '']
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'initialize', params })}\n`)
  const [code] = await once(child, 'close')
  const lines = output.split('\n').filter((line) => line !== '')
  return { answers: lines.map((line) => JSON.parse(line)), errors, code }
}

test('names fold to lower case, keep their underscores, are trimmed, and SMTP settings are no account', async () => {
  const postern = await startPostern({
    MAIL_IMAP_My_Work_HOST: ' imap.example.org ',
    MAIL_IMAP_My_Work_USER: 'ada',
    MAIL_IMAP_My_Work_PASS: 'secret',
    MAIL_IMAP_My_Work_SMTP_HOST: 'smtp.example.org',
    MAIL_IMAP_My_Work_SMTP_USER: 'ada',
    MAIL_IMAP_My_Work_SMTP_PASS: 'secret',
    MAIL_IMAP_DEFAULT_HOST: 'imap.example.net',
    MAIL_IMAP_DEFAULT_USER: 'bob',
    MAIL_IMAP_DEFAULT_PASS: 'secret',
    MAIL_IMAP_DEFAULT_PORT: ' 143 ',
    MAIL_IMAP_DEFAULT_SECURE: 'FALSE',
  })
  const { data } = await postern.call('imap_list_accounts')
  expect(data.accounts).toEqual([
    { account_id: 'default', host: 'imap.example.net', port: 143, secure: false },
    { account_id: 'my_work', host: 'imap.example.org', port: 993, secure: true },
  ])
  await postern.close()
})

test('of more than fifty accounts fifty are listed', async () => {
  const many = Array.from({ length: 51 }, (_, index) => account(`a${index}`, 993, 'ada'))
  const postern = await startPostern(Object.assign({}, ...many))
  const { summary, data } = await postern.call('imap_list_accounts')
  expect(data.accounts).toHaveLength(50)
  expect(summary).toBe('51 account(s) configured')
  await postern.close()
})
