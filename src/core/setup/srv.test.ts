import { expect, test } from 'vitest'
import { isElsewhere, type SrvRecord, serversFrom } from './srv.ts'

const record = (host: string, port: number, priority = 0, weight = 0): SrvRecord => ({ host, port, priority, weight })
const NONE = { imaps: [], imap: [], submissions: [], submission: [] }

test('TLS from the first byte counts first, then priority, then weight', () => {
  const imaps = [
    record('b.example.org', 993, 10, 9),
    record('A.example.org.', 994, 5, 1),
    record('c.example.org', 993, 5, 0),
  ]
  expect(
    serversFrom({ ...NONE, imaps, imap: [record('old.example.org', 143)], submission: [record('s.example.org', 587)] }),
  ).toEqual({
    imap: { host: 'a.example.org', port: 994, tls: 'implicit' },
    smtp: { host: 's.example.org', port: 587, tls: 'starttls' },
  })
})

test('a service that is not offered, or a target that is no host, is none', () => {
  expect(serversFrom({ ...NONE, imaps: [record('.', 0)] })).toBeUndefined()
  expect(serversFrom({ ...NONE, imaps: [record('a b', 993), record('x.example.org', 70_000)] })).toBeUndefined()
  expect(serversFrom({ ...NONE, submissions: [record('s.example.org', 465)] })).toBeUndefined()
})

test('a server of another domain is elsewhere', () => {
  const at = (host: string): boolean => isElsewhere({ imap: { host, port: 993, tls: 'implicit' } }, 'Example.org')
  expect([at('imap.example.org'), at('example.org'), at('notexample.org'), at('imap.example.org.evil.com')]).toEqual([
    false,
    false,
    true,
    true,
  ])
})
