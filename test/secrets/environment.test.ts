import { expect, test } from 'vitest'
import { createSecretStore } from '../../src/adapters/secrets/store.ts'
import { failureOf, SECRET } from './scene.ts'

test.each([
  ['secret://callers/invoice-agent/token', 'IMAP_MCP_SECRET__CALLERS__INVOICE_AGENT__TOKEN'],
  ['secret://accounts/gmail-invoices/refresh_token', 'IMAP_MCP_SECRET__ACCOUNTS__GMAIL_INVOICES__REFRESH_TOKEN'],
  ['secret://a.b/c d', 'IMAP_MCP_SECRET__A_B__C_D'],
  ['secret://top', 'IMAP_MCP_SECRET__TOP'],
])('%s is %s', async (ref, name) => {
  const env: Record<string, string> = { [name]: `${SECRET}\n` }
  const store = createSecretStore({ backend: 'env_var' }, env)
  expect(await store.read(ref)).toBe(SECRET)
  env[name] = 'another'
  expect(await store.read(ref)).toBe('another')
  env[name] = ''
  await failureOf(store.read(ref), 'unreadable')
  delete env[name]
  expect((await failureOf(store.read(ref), 'not_found')).message).toContain(name)
})

test('nothing can be written', async () => {
  const store = createSecretStore({ backend: 'env_var' }, {})
  expect(store.writable).toBe(false)
  await failureOf(store.write('secret://a', SECRET), 'unsupported')
})

test('a ref that is none is refused and not repeated', async () => {
  const store = createSecretStore({ backend: 'env_var' }, {})
  await failureOf(store.read(SECRET), 'invalid_input')
  await failureOf(store.read('secret://a/../b'), 'invalid_input')
})

test('refs that mean one variable are told', async () => {
  const store = createSecretStore({ backend: 'env_var' }, {})
  expect(await store.warnings(['secret://a-b', 'secret://c', 'secret://c'])).toEqual([])
  const [warning] = await store.warnings(['secret://a-b', 'secret://a_b', 'secret://c'])
  expect(warning).toBe(
    'secret://a-b and secret://a_b are one and the same environment variable, IMAP_MCP_SECRET__A_B; rename one',
  )
})
