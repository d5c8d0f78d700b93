import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createClientFiles } from '../../src/adapters/clients/client-files.ts'
import { clientText } from '../../src/core/setup/client-text.ts'
import { CLIENTS, type Places } from '../../src/core/setup/clients.ts'
import {
  addClient,
  type ClientParts,
  listClients,
  removeClient,
  requireClient,
} from '../../src/engine/setup/client-entries.ts'

let home: string
let parts: ClientParts
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'pk-'))
  const places: Places = { platform: 'linux', home }
  parts = { files: createClientFiles({ home, now: () => Date.UTC(2026, 4, 6, 7, 8, 9, 10) }), places }
})
afterEach(() => rm(home, { recursive: true, force: true }))

const SERVER = { command: '/usr/bin/node', args: ['p.mjs', '--config', '/c'], env: { IMAP_MCP_CALLER_ID: 'agent' } }
const editable = CLIENTS.filter(({ key }) => key !== undefined)
const fileOf = (id: string): string => join(...requireClient(id).path(parts.places))

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

test.each(editable.map(({ id }) => id))('%s gets its entry in a file of its own, and loses it again', async (id) => {
  const client = requireClient(id)
  expect(await addClient(client, 'postern', SERVER, parts)).toMatchObject({ kind: 'added' })
  const written = JSON.parse(await readFile(fileOf(id), 'utf8'))
  expect(written).toEqual({ [client.key ?? '']: { postern: client.entry(SERVER) } })
  expect((await stat(fileOf(id))).mode & 0o777).toBe(0o600)
  expect(JSON.parse(clientText(client, 'postern', SERVER))).toEqual(written)
  expect(await addClient(client, 'postern', SERVER, parts)).toMatchObject({ kind: 'unchanged' })
  const states = await listClients('postern', parts)
  expect(states.filter(({ configured }) => configured).map((state) => state.client.id)).toEqual([id])
  expect(await removeClient(client, 'postern', parts)).toMatchObject({ kind: 'removed' })
  expect(await removeClient(client, 'postern', parts)).toMatchObject({ kind: 'absent' })
})

test('property: whatever a file holds keeps its value, and the file before is beside it', async () => {
  const client = requireClient('cursor')
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom(0, 2, '\t'),
      async (others, servers, indent) => {
        const text = JSON.stringify({ ...others, mcpServers: servers }, undefined, indent)
        await rm(join(home, '.cursor'), { recursive: true, force: true })
        await put(fileOf('cursor'), text)
        const { kind, backup } = await addClient(client, 'postern', SERVER, parts)
        const after = JSON.parse(await readFile(fileOf('cursor'), 'utf8'))
        const { postern, ...kept } = after.mcpServers
        const { postern: mine, ...before } = JSON.parse(text).mcpServers
        expect(kept).toEqual(before)
        expect({ ...after, mcpServers: undefined }).toEqual({ ...JSON.parse(text), mcpServers: undefined })
        expect(postern).toMatchObject(SERVER)
        expect([kind, await readFile(backup ?? '', 'utf8')]).toEqual([mine === undefined ? 'added' : 'changed', text])
      },
    ),
    { numRuns: 60 },
  )
})

test('what its owner added to the entry stays, another way to reach it goes', async () => {
  const there = { url: 'http://127.0.0.1/mcp', disabled: true, env: { MINE: '1', IMAP_MCP_CALLER_ID: 'old' } }
  await put(fileOf('cursor'), JSON.stringify({ mcpServers: { postern: there } }))
  expect(await addClient(requireClient('cursor'), 'postern', SERVER, parts)).toMatchObject({ kind: 'changed' })
  expect(JSON.parse(await readFile(fileOf('cursor'), 'utf8')).mcpServers.postern).toEqual({
    ...SERVER,
    disabled: true,
    env: { MINE: '1', IMAP_MCP_CALLER_ID: 'agent' },
  })
})

test('a link stays one, and the file at its end keeps its rights', async () => {
  const real = join(home, 'dotfiles', 'settings.json')
  await put(real, '{\n  // mine\n  "theme": "One",\n}\n')
  await chmod(real, 0o640)
  await mkdir(dirname(fileOf('zed')), { recursive: true })
  await symlink(real, fileOf('zed'))
  const { backup } = await addClient(requireClient('zed'), 'postern', SERVER, parts)
  expect((await lstat(fileOf('zed'))).isSymbolicLink()).toBe(true)
  expect((await stat(real)).mode & 0o777).toBe(0o640)
  expect(await readFile(real, 'utf8')).toMatch(/^\{\n {2}\/\/ mine\n {2}"theme": "One",\n {2}"context_servers": \{/)
  expect(backup).toContain(join(home, 'dotfiles', 'settings.json.postern-20260506-070809-010'))
})

test.each([
  ['no JSON', 'this is { not JSON', /line 1 is not JSON/],
  ['a list', '[]', /something else than a JSON object/],
  ['servers that are no object', '{"mcpServers": null}', /"mcpServers" in the file is something else/],
  ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
])('%s is left alone', async (_, text, reason) => {
  await put(fileOf('cursor'), '')
  await writeFile(fileOf('cursor'), text)
  await expect(addClient(requireClient('cursor'), 'postern', SERVER, parts)).rejects.toThrow(reason)
  expect(await readFile(fileOf('cursor'))).toEqual(Buffer.from(text))
  expect(await readdir(dirname(fileOf('cursor')))).toEqual(['mcp.json'])
})

test('a link that leads nowhere is left alone', async () => {
  await mkdir(dirname(fileOf('cursor')), { recursive: true })
  await symlink(join(home, 'gone'), fileOf('cursor'))
  await expect(addClient(requireClient('cursor'), 'postern', SERVER, parts)).rejects.toThrow(/leads nowhere/)
  expect((await lstat(fileOf('cursor'))).isSymbolicLink()).toBe(true)
})

test('what another program has written since is not overwritten', async () => {
  await put(fileOf('cursor'), '{"a": 1}')
  const path = requireClient('cursor').path(parts.places)
  await expect(parts.files.replace(path, '{}', '{"a": 0}')).rejects.toThrow(/changed by another program/)
  expect(await readdir(dirname(fileOf('cursor')))).toEqual(['mcp.json'])
})

test('a client whose file is no JSON only shows what belongs there', async () => {
  const codex = requireClient('codex')
  await expect(addClient(codex, 'postern', SERVER, parts)).rejects.toThrow(/--print/)
  await expect(removeClient(codex, 'postern', parts)).rejects.toThrow(/take "postern" out of it yourself/)
  expect(clientText(codex, 'postern', SERVER)).toBe(
    '[mcp_servers."postern"]\ncommand = "/usr/bin/node"\nargs = ["p.mjs", "--config", "/c"]\nenv = { "IMAP_MCP_CALLER_ID" = "agent" }',
  )
  expect(() => requireClient('cursr')).toThrow(/cursor/)
})

test.each([
  ['darwin', 'claude-desktop', ['H', 'Library', 'Application Support', 'Claude', 'claude_desktop_config.json']],
  ['win32', 'claude-desktop', ['A', 'Claude', 'claude_desktop_config.json']],
  ['linux', 'vscode', ['X', 'Code', 'User', 'mcp.json']],
  ['darwin', 'zed', ['X', 'zed', 'settings.json']],
  ['win32', 'zed', ['A', 'Zed', 'settings.json']],
  ['win32', 'cursor', ['H', '.cursor', 'mcp.json']],
])('on %s the file of %s is where it belongs', (platform, id, path) => {
  expect(requireClient(id).path({ platform, home: 'H', appData: 'A', configHome: 'X' })).toEqual(path)
})
