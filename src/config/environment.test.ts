import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readEnvironment } from './environment.ts'

const work = {
  MAIL_IMAP_WORK_HOST: ' imap.corp.example ',
  MAIL_IMAP_WORK_USER: 'emma@corp.example',
  MAIL_IMAP_WORK_PASS: 'canary-secret',
}

test('a host, a user and a password make an account with the defaults', () => {
  expect(readEnvironment(work)).toEqual({
    accounts: [
      {
        id: 'work',
        imap: {
          host: 'imap.corp.example',
          port: 993,
          tls: 'implicit',
          user: 'emma@corp.example',
          password: 'canary-secret',
        },
        mirror: 'off',
        email: 'emma@corp.example',
        smtp: undefined,
      },
    ],
    writeEnabled: false,
    timeouts: { connectMs: 30_000, greetingMs: 15_000, socketMs: 300_000 },
    ca: undefined,
    httpToken: undefined,
    strays: [],
  })
})

test('no accounts is no error', () => {
  expect(readEnvironment({ PATH: '/bin' }).accounts).toEqual([])
})

test('an underscore inside a name stays, and SMTP settings are no account', () => {
  const { accounts } = readEnvironment({
    MAIL_IMAP_MY_OWN_HOST: 'imap.home.example',
    MAIL_IMAP_MY_OWN_USER: 'me',
    MAIL_IMAP_MY_OWN_PASS: 'x',
    MAIL_IMAP_MY_OWN_SMTP_HOST: 'smtp.home.example',
    MAIL_IMAP_MY_OWN_SMTP_SECURE: 'false',
  })
  expect(accounts.map(({ id }) => id)).toEqual(['my_own'])
  expect(accounts[0]?.smtp).toEqual({
    host: 'smtp.home.example',
    port: 587,
    tls: 'starttls',
    user: 'me',
    password: 'x',
  })
  expect(accounts[0]?.email).toBeUndefined()
})

describe('SECURE=false', () => {
  test.each([
    ['imap.corp.example', {}, 'starttls'],
    ['imap.corp.example', { MAIL_IMAP_WORK_ALLOW_CLEARTEXT: 'true' }, 'none'],
    ['127.0.0.1', {}, 'none'],
    ['127.8.0.1', {}, 'none'],
    ['::1', {}, 'none'],
    ['LocalHost', {}, 'none'],
    ['127.0.0.1.evil.example', {}, 'starttls'],
    ['localhost.evil.example', {}, 'starttls'],
  ])('%s %j means %s', (host, more, tls) => {
    const { accounts } = readEnvironment({
      ...work,
      MAIL_IMAP_WORK_HOST: host,
      MAIL_IMAP_WORK_SECURE: 'FALSE',
      ...more,
    })
    expect(accounts[0]?.imap.tls).toBe(tls)
  })
})

describe('what stops the start names its variable', () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ['no user', { MAIL_IMAP_WORK_USER: ' ' }, /MAIL_IMAP_WORK_USER is required/],
    ['no password', { MAIL_IMAP_WORK_PASS: '' }, /MAIL_IMAP_WORK_PASS is required/],
    ['no host', { MAIL_IMAP_WORK_HOST: '' }, /MAIL_IMAP_WORK_HOST is required/],
    ['a port that is none', { MAIL_IMAP_WORK_PORT: '99x' }, /MAIL_IMAP_WORK_PORT must be a whole number/],
    ['a port out of range', { MAIL_IMAP_WORK_PORT: '70000' }, /MAIL_IMAP_WORK_PORT .* between 1 and 65535/],
    ['a flag that is none', { MAIL_IMAP_WRITE_ENABLED: 'yes' }, /MAIL_IMAP_WRITE_ENABLED must be true or false/],
    ['a time-out that is none', { MAIL_IMAP_SOCKET_TIMEOUT_MS: '-1' }, /MAIL_IMAP_SOCKET_TIMEOUT_MS/],
    [
      'names that fold',
      { MAIL_IMAP_Work_HOST: 'b' },
      /MAIL_IMAP_Work_HOST and MAIL_IMAP_WORK_HOST name the same account/,
    ],
    ['a name of other characters', { 'MAIL_IMAP_A.B_HOST': 'h' }, /MAIL_IMAP_A\.B_HOST: an account name/],
    [
      'no such file',
      { MAIL_IMAP_CA_CERT_PATH: '/nowhere/ca.pem' },
      /MAIL_IMAP_CA_CERT_PATH names a file that cannot be read/,
    ],
    ['a guessable token', { POSTERN_HTTP_TOKEN: 'short' }, /POSTERN_HTTP_TOKEN must have at least 20 characters/],
    ['a host with a scheme', { MAIL_IMAP_WORK_HOST: 'imaps://h' }, /MAIL_IMAP_WORK_HOST must be a host name/],
    ['a host with a port', { MAIL_IMAP_WORK_HOST: 'h:993' }, /MAIL_IMAP_WORK_HOST must be a host name/],
    ['a line break', { MAIL_IMAP_WORK_USER: 'a\r\nb' }, /MAIL_IMAP_WORK_USER must not contain control characters/],
  ])('%s', (_what, change, message) => {
    expect(() => readEnvironment({ ...work, ...change })).toThrow(message)
  })

  test('all problems are told at once, without a secret', () => {
    let message = ''
    try {
      readEnvironment({ ...work, MAIL_IMAP_WORK_PORT: 'x', MAIL_IMAP_WRITE_ENABLED: 'x' })
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).toMatch(/MAIL_IMAP_WORK_PORT.*MAIL_IMAP_WRITE_ENABLED/)
    expect(message).not.toContain('canary-secret')
  })
})

test('a certificate file is read, and one that holds no certificate refused', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'postern-')), 'ca.pem')
  writeFileSync(file, '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n')
  expect(readEnvironment({ ...work, MAIL_IMAP_CA_CERT_PATH: file }).ca).toContain('BEGIN CERTIFICATE')
  writeFileSync(file, 'hello')
  expect(() => readEnvironment({ ...work, MAIL_IMAP_CA_CERT_PATH: file })).toThrow(/holds no PEM certificate/)
})

test('a misspelt setting is told, and stops nothing', () => {
  const strays = {
    MAIL_IMAP_WRITE_ENABLE: 'true',
    MAIL_IMAP_WORK_PROT: '1',
    MAIL_IMAP_HOST: 'h',
    MAIL_IMAP_WORK_PASSWORD: 'canary-secret',
  }
  expect(readEnvironment({ ...work, ...strays }).strays).toEqual([
    'MAIL_IMAP_WRITE_ENABLE is not a setting and was ignored; did you mean MAIL_IMAP_WRITE_ENABLED?',
    'MAIL_IMAP_WORK_PROT is not a setting and was ignored',
    'MAIL_IMAP_HOST is not a setting and was ignored; did you mean MAIL_IMAP_DEFAULT_HOST?',
    'MAIL_IMAP_WORK_PASSWORD is not a setting and was ignored',
  ])
})
