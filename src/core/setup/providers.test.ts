import { expect, test } from 'vitest'
import { CLOSED, closedProviderOf, PROVIDERS, providerOfDomain, providerOfExchanges } from './providers.ts'
import { isLoopback, loginName } from './servers.ts'

test('at least 25 providers are known, each by its own names', () => {
  expect(PROVIDERS.length).toBeGreaterThanOrEqual(25)
  const ids = PROVIDERS.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const domains = [...PROVIDERS, ...CLOSED].flatMap((provider) => provider.domains)
  expect(new Set(domains).size).toBe(domains.length)
  const exchanges = PROVIDERS.flatMap(({ mx = [] }) => mx)
  expect(new Set(exchanges).size).toBe(exchanges.length)
  for (const name of [...domains, ...exchanges]) expect(name).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
})

test('no password leaves this machine without TLS', () => {
  const bare = PROVIDERS.filter(({ imap, smtp }) => [imap, smtp].some(({ tls }) => tls === 'none'))
  expect(bare.map(({ id }) => id)).toEqual(['proton'])
  for (const { imap, smtp, bridge } of bare) {
    expect([isLoopback(imap.host), isLoopback(smtp.host), bridge]).toEqual([true, true, true])
  }
  for (const { imap, smtp } of PROVIDERS.filter(({ bridge }) => !bridge)) {
    expect([imap.tls, imap.port]).toEqual(['implicit', 993])
    expect([smtp.tls, smtp.port]).toEqual(smtp.port === 465 ? ['implicit', 465] : ['starttls', 587])
  }
})

test('whoever wants an app password or a bridge says where it comes from', () => {
  for (const { ways, help, name } of PROVIDERS) {
    expect(ways.length, name).toBeGreaterThan(0)
    if (!ways.includes('password')) expect(help.length, name).toBeGreaterThan(0)
  }
})

test.each([
  ['gmail.com', 'gmail'],
  ['GMAIL.COM.', 'gmail'],
  ['hotmail.co.uk', 'microsoft'],
  ['pm.me', 'proton'],
  ['gmx.de', 'gmx'],
  ['gmx.com', 'gmx-com'],
  ['evilgmail.com', undefined],
  ['mail.gmail.com', undefined],
])('%s is %s', (domain, id) => {
  expect(providerOfDomain(domain)?.id).toBe(id)
})

test('a domain of a customer is known by who takes its mail in', () => {
  expect(providerOfExchanges(['ALT1.ASPMX.L.GOOGLE.COM.'])?.id).toBe('gmail')
  expect(providerOfExchanges(['example-com.mail.protection.outlook.com'])?.id).toBe('microsoft')
  expect(providerOfExchanges(['in1-smtp.messagingengine.com'])?.id).toBe('fastmail')
  expect(providerOfExchanges(['mx.notgoogle.com', 'google.com.example.org'])).toBeUndefined()
})

test('a provider that no program can read is named as such', () => {
  expect(closedProviderOf('tuta.com')?.why).toContain('IMAP')
  expect(closedProviderOf('gmail.com')).toBeUndefined()
})

test('a login is the address or what stands before its last @', () => {
  expect(loginName('"a@b"@icloud.com', 'local_part')).toBe('"a@b"')
  expect(loginName('ada@icloud.com', 'address')).toBe('ada@icloud.com')
})
