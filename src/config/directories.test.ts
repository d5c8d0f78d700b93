import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { chosenVault, configDirectory, ownConfigDirectory } from './directories.ts'

test('the option comes before the variables, and ours before the older one', () => {
  const both = { POSTERN_CONFIG_DIR: ' /etc/a ', IMAP_MCP_CONFIG_DIR: '/etc/b' }
  expect(configDirectory(both, 'here')).toEqual({ directory: resolve('here'), from: '--config' })
  expect(configDirectory(both)).toEqual({ directory: resolve('/etc/a'), from: 'POSTERN_CONFIG_DIR' })
  expect(configDirectory({ ...both, POSTERN_CONFIG_DIR: ' ' })).toEqual({
    directory: resolve('/etc/b'),
    from: 'IMAP_MCP_CONFIG_DIR',
  })
  expect(configDirectory({})).toBeUndefined()
})

test("the user's own tree counts once it holds accounts", () => {
  const home = mkdtempSync(join(tmpdir(), 'postern-home-'))
  const env = { XDG_CONFIG_HOME: home, APPDATA: home }
  expect(ownConfigDirectory(env, 'linux')).toBeUndefined()
  mkdirSync(join(home, 'postern'))
  expect(ownConfigDirectory(env, 'linux')).toBeUndefined()
  writeFileSync(join(home, 'postern', 'accounts.yaml'), 'accounts: []\n')
  expect(ownConfigDirectory(env, 'linux')?.directory).toBe(join(home, 'postern'))
  mkdirSync(join(home, 'Postern'))
  writeFileSync(join(home, 'Postern', 'accounts.yaml'), 'accounts: []\n')
  expect(ownConfigDirectory(env, 'win32')?.directory).toBe(join(home, 'Postern'))
})

test('the vault is where the variable says, and an empty one says nothing', () => {
  expect(chosenVault({ POSTERN_VAULT: ' here ' })).toBe(resolve('here'))
  expect([chosenVault({}), chosenVault({ POSTERN_VAULT: ' ' })]).toEqual([undefined, undefined])
})
