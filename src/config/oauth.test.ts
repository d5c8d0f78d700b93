import { expect, test } from 'vitest'
import { oauthScope, readOAuthClient } from './oauth.ts'

const oauthClient = (account: Parameters<typeof readOAuthClient>[1], env: Record<string, string>) =>
  readOAuthClient(env, account)
const CLIENT = { IMAP_MCP_OAUTH_CLIENT_ID: 'id' }

test.each([
  ['google', 'Desktop app'],
  ['microsoft', 'Entra'],
  ['imap-standard', 'native (public) client'],
])('without a client id the message says how to register one (%s)', (provider, how) => {
  const read = (): unknown => oauthClient({ provider, mock: false }, { IMAP_MCP_OAUTH_CLIENT_ID: ' ' })
  expect(read).toThrow(how)
  expect(read).toThrow('IMAP_MCP_OAUTH_CLIENT_ID')
})

test('the accounts of Google and Microsoft never leave their house, whatever endpoints are set', () => {
  const env = {
    ...CLIENT,
    IMAP_MCP_OAUTH_ISSUER: 'https://other.example',
    IMAP_MCP_OAUTH_AUTH_URL: 'https://other.example/auth',
    IMAP_MCP_OAUTH_TOKEN_URL: 'https://other.example/token',
  }
  expect(oauthClient({ provider: 'google', mock: false }, env)).toEqual({
    provider: 'google',
    clientId: 'id',
    issuer: 'https://accounts.google.com',
    authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
  })
  const microsoft = oauthClient(
    { provider: 'microsoft', mock: false },
    { ...env, IMAP_MCP_OAUTH_TENANT: 'contoso.com' },
  )
  expect(microsoft.tokenUrl).toBe('https://login.microsoftonline.com/contoso.com/oauth2/v2.0/token')
  expect(JSON.stringify(microsoft)).not.toContain('other.example')
  for (const account of [
    { provider: 'google', mock: true },
    { provider: 'gmail', mock: true },
    { provider: 'imap-standard', mock: false },
  ]) {
    expect(oauthClient(account, env).tokenUrl).toBe('https://other.example/token')
  }
})

test('a provider has its own variables before those of all', () => {
  const env = { ...CLIENT, IMAP_MCP_OAUTH_GOOGLE_CLIENT_ID: 'own', IMAP_MCP_OAUTH_CLIENT_SECRET: 'shared' }
  expect(oauthClient({ provider: 'google', mock: false }, env)).toMatchObject({
    clientId: 'own',
    clientSecret: 'shared',
  })
  expect(oauthClient({ provider: 'microsoft', mock: false }, env)).toMatchObject({ clientId: 'id' })
})

test('endpoints that are missing, a port and a tenant that make no sense are told by their names', () => {
  const generic = { provider: 'imap-standard', mock: false }
  expect(() => oauthClient(generic, { ...CLIENT, IMAP_MCP_OAUTH_AUTH_URL: 'https://a.example' })).toThrow('_TOKEN_URL')
  expect(oauthClient(generic, { ...CLIENT, IMAP_MCP_OAUTH_ISSUER: 'https://a.example' }).issuer).toBe(
    'https://a.example',
  )
  for (const port of ['0', '65536', '8080x']) {
    const env = { ...CLIENT, IMAP_MCP_OAUTH_REDIRECT_PORT: port }
    expect(() => oauthClient({ provider: 'google', mock: false }, env)).toThrow('REDIRECT_PORT')
  }
  const env = { ...CLIENT, IMAP_MCP_OAUTH_TENANT: 'evil.example/x?' }
  expect(() => oauthClient({ provider: 'microsoft', mock: false }, env)).toThrow('TENANT')
})

test('the scope is the configured one or all of mail, and Microsoft is asked for one that lasts', () => {
  expect(oauthScope('google', undefined)).toBe('https://mail.google.com/')
  expect(oauthScope('gmail', undefined)).toBe('https://mail.google.com/')
  expect(oauthScope('google', ' a b ')).toBe('a b')
  for (const scope of ['IMAP.AccessAsUser.All', 'SMTP.Send', 'offline_access']) {
    expect(oauthScope('microsoft', undefined)).toContain(scope)
  }
  expect(oauthScope('microsoft', 'x')).toBe('x offline_access')
  expect(oauthScope('imap-standard', undefined)).toBe('')
})
