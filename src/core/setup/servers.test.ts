import fc from 'fast-check'
import { expect, test } from 'vitest'
import { portIn, splitHost } from './servers.ts'

test.each([
  ['mail.example.org', { host: 'mail.example.org' }],
  ['mail.example.org:1993', { host: 'mail.example.org', port: 1993 }],
  ['127.0.0.1:143', { host: '127.0.0.1', port: 143 }],
  ['[::1]:993', { host: '::1', port: 993 }],
  ['::1', { host: '::1' }],
  ['fe80::1:993', { host: 'fe80::1:993' }],
  ['mail.example.org:', { host: 'mail.example.org:' }],
  ['mail.example.org:0', { host: 'mail.example.org:0' }],
  ['mail.example.org:65536', { host: 'mail.example.org:65536' }],
  ['imaps://mail.example.org:993', { host: 'imaps://mail.example.org:993' }],
])('%s as a host', (text, split) => {
  expect(splitHost(text)).toEqual(split)
})

test('property: every port comes back from behind a name', () => {
  fc.assert(
    fc.property(fc.domain(), fc.integer({ min: 1, max: 65_535 }), (host, port) => {
      expect(splitHost(`${host}:${port}`)).toEqual({ host, port })
      expect(portIn(String(port))).toBe(port)
    }),
  )
})
