import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createKeychainStore, type OpenEntry } from '../../src/adapters/secrets/keychain-store.ts'
import { failureOf, SECRET } from './scene.ts'

/** A keychain in memory: the real ones belong to a person's desktop. */
function keychain(): { open: OpenEntry; accounts: Map<string, string> } {
  const accounts = new Map<string, string>()
  const open: OpenEntry = async (account) => ({
    getPassword: async () => accounts.get(account) ?? null,
    setPassword: async (secret) => void accounts.set(account, secret),
  })
  return { open, accounts }
}

test.runIf(process.platform === 'linux')(
  'the real library, on a Linux without a desktop, says so and offers files',
  () => {
    const program = `
    const { createSecretStore } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/adapters/secrets/store.ts'))})
    const store = createSecretStore({ backend: 'keychain' }, {})
    const told = (work) => work.catch(({ code, message, cause }) => ({ code, message, cause: cause ?? null }))
    console.log(JSON.stringify([await told(store.read('secret://a/b')), await told(store.write('secret://a/b', '${SECRET}'))]))
  `
    // Nothing of this machine's own desktop is within its reach.
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { env: {}, stdio: 'pipe' })
    const refused = { code: 'unavailable', message: expect.stringContaining('file_dir'), cause: null }
    expect(JSON.parse(said.toString())).toEqual([refused, refused])
    expect(JSON.parse(said.toString())[0].message).toContain('Secret Service')
  },
)

test('a secret is kept under its path', async () => {
  const { open, accounts } = keychain()
  const store = createKeychainStore(open)
  await store.write('secret://accounts/a/password', SECRET)
  expect([...accounts]).toEqual([['accounts/a/password', SECRET]])
  expect(await store.read('secret://accounts/a/password')).toBe(SECRET)
  expect(store.writable).toBe(true)
  expect(await store.warnings(['secret://a'])).toEqual([])
})

test('absent, empty and ill-named ones', async () => {
  const { open, accounts } = keychain()
  const store = createKeychainStore(open)
  expect((await failureOf(store.read('secret://a/b'), 'not_found')).message).toContain('service postern, account a/b')
  accounts.set('empty', '')
  await failureOf(store.read('secret://empty'), 'unreadable')
  await failureOf(store.read(SECRET), 'invalid_input')
  await failureOf(store.write('secret://a', ''), 'invalid_input')
})

test('what the library says is kept back, as it may hold the secret', async () => {
  const refuse = async (): Promise<never> => {
    throw new Error(`cannot store ${SECRET}`, { cause: SECRET })
  }
  const store = createKeychainStore(async () => ({ getPassword: refuse, setPassword: refuse }))
  await failureOf(store.read('secret://a'), 'unavailable')
  await failureOf(store.write('secret://a', SECRET), 'unavailable')
})

test('a keychain that waits for a person is not waited for without end', async () => {
  const never = (): Promise<never> => new Promise(() => {})
  const store = createKeychainStore(async () => ({ getPassword: never, setPassword: never }), 1)
  await failureOf(store.read('secret://a'), 'unavailable')
  await failureOf(store.write('secret://a', SECRET), 'outcome_unknown')
})
