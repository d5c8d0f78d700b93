import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stageTree } from '../../src/adapters/tree-writer/staged-tree.ts'
import { loadTree } from '../../src/config/tree/load.ts'
import { choiceOf, planFor } from '../../src/core/setup/preset.ts'
import type { AccountSettings, TreeChange } from '../../src/core/setup/tree-change.ts'
import type { StagedTree } from '../../src/ports/tree-writer.ts'

let root: string
let tree: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'pt-'))
  tree = join(root, 'tree')
})
afterEach(() => rm(root, { recursive: true, force: true }))

const stage = (): Promise<StagedTree> => stageTree({ directory: tree, now: () => Date.UTC(2026, 4, 6, 7, 8, 9) })
const read = (file: string): Promise<string> => readFile(join(tree, file), 'utf8')

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(tree, file)), { recursive: true })
    await writeFile(join(tree, file), text)
  }
}

const account = (more: Partial<AccountSettings> = {}): AccountSettings => ({
  id: 'home',
  kind: 'imap-standard',
  address: 'ada@example.org',
  user: 'ada@example.org',
  imap: { host: 'imap.example.org', port: 993, tls: 'implicit' },
  auth: 'password',
  secretRef: 'secret://accounts/home/password',
  mirror: 'off',
  ...more,
})

const change = (more: Partial<AccountSettings> = {}, agent: Partial<TreeChange['agent']> = {}): TreeChange => ({
  account: account(more),
  secrets: 'file',
  agent: { caller: 'agent', policy: 'agent', sends: false, plan: planFor(choiceOf('look'), {}), ...agent },
})

async function commit(wanted: TreeChange): Promise<void> {
  const staged = await stage()
  await staged.put(wanted)
  loadTree(staged.directory, {}, root)
  await staged.commit()
  await staged.discard()
}

test('comments name the program as this person types it, also those of an account that comes later', async () => {
  for (const id of ['home', 'work']) {
    const staged = await stageTree({ directory: tree, program: 'npx postern', now: () => 0 })
    await staged.put(change({ id, secretRef: `secret://accounts/${id}/password` }, { sends: true }))
    loadTree(staged.directory, {}, root)
    await staged.commit()
    await staged.discard()
  }
  const texts = await Promise.all(['accounts.yaml', 'callers.yaml', 'policies/agent.yaml'].map(read))
  const commands = texts.flatMap((text) => text.match(/"[^"\n]*postern [a-z]+/g) ?? [])
  expect(commands.length).toBeGreaterThan(9)
  expect(commands.filter((command) => !command.startsWith('"npx postern '))).toEqual([])
})

/** As a person writes: comments everywhere, lists their own way, settings beyond what setup knows. */
const BY_HAND = {
  'accounts.yaml': `# mine
accounts:
# the office
- id: work   # the old one
  host: imap.example.com
  port: 993
  user: "ada"
  identity: ada@example.com
  token_cache: memory_only
  auth: {type: password, secret_ref: secret://work}

secret_store: {backend: file_dir, path: keys} # do not move
audit: {directory: audit}
`,
  'callers.yaml': `callers:
  - {id: bot, policy: office, auth: {type: stdio_trusted}} # the bot
`,
  'policies/its-name.yaml': `name: office # as in callers
accounts:
  work: # all of it
    - {path: INBOX, mode: blacklist, default: FULL}
`,
  'keys/work': 'secret',
}

test('a tree that a person wrote keeps what stands in it', async () => {
  await write(BY_HAND)
  await commit(change({}, { caller: 'bot', policy: 'office', sends: true }))
  const accounts = await read('accounts.yaml')
  for (const kept of [
    '# mine',
    '# the office',
    '# the old one',
    'user: "ada"',
    'token_cache: memory_only',
    '# do not move',
  ]) {
    expect(accounts).toContain(kept)
  }
  expect(accounts).toMatch(/\n- id: work/)
  expect(accounts).toMatch(/\n- id: home\n/)
  // The policy is known by its name, not by that of its file; rules on sending that are not written are not written.
  expect(await read('policies/its-name.yaml')).toContain('# as in callers')
  expect(await read('policies/its-name.yaml')).toMatch(/# all of it\n[\s\S]*home:/)
  expect(await read('policies/its-name.yaml')).not.toContain('send')
  expect(await read('callers.yaml')).toBe(BY_HAND['callers.yaml'])
  expect((await readdir(join(tree, 'policies'))).toSorted()).toEqual(['its-name.yaml'])
  expect((await readdir(tree)).toSorted()).toEqual(['accounts.yaml', 'backups', 'callers.yaml', 'keys', 'policies'])
  const [backup = ''] = await readdir(join(tree, 'backups'))
  expect(backup).toMatch(/^20260506-070809-/)
  expect(await read(join('backups', backup, 'accounts.yaml'))).toBe(BY_HAND['accounts.yaml'])
  expect(await readdir(root)).toEqual(['tree'])
})

test('what is removed goes from every file, and only that', async () => {
  await write(BY_HAND)
  await commit(change({}, { caller: 'bot', policy: 'office', sends: true }))
  const staged = await stage()
  await staged.remove('home')
  expect(loadTree(staged.directory, {}, root).accounts.map(({ id }) => id)).toEqual(['work'])
  await staged.commit()
  expect(await read('accounts.yaml')).not.toContain('home')
  expect(await read('accounts.yaml')).toContain('# the old one')
  expect(await read('policies/its-name.yaml')).not.toContain('home')
})

test('an account that is changed keeps what setup does not know of', async () => {
  await write(BY_HAND)
  const work = { id: 'work', user: 'ada', address: 'ada@example.com', secretRef: 'secret://work' }
  const imap = { host: 'imap2.example.com', port: 993, tls: 'implicit' } as const
  const staged = await stage()
  await staged.put({
    ...change({ ...work, imap, mirror: 'full' }),
    agent: { caller: 'bot', policy: 'office', sends: false },
  })
  await staged.commit()
  const accounts = await read('accounts.yaml')
  expect(accounts).toContain('host: imap2.example.com')
  expect(accounts).toContain('token_cache: memory_only')
  expect(accounts).toContain('mirror: full')
  expect(accounts).toContain('user: "ada"')
  expect(await read('policies/its-name.yaml')).toBe(BY_HAND['policies/its-name.yaml'])
})

test('what somebody else changes in the meantime is not overwritten', async () => {
  await write(BY_HAND)
  const staged = await stage()
  await staged.put(change({}, { caller: 'bot', policy: 'office' }))
  await writeFile(join(tree, 'callers.yaml'), '# other\n')
  await expect(staged.commit()).rejects.toThrow(/somebody else changed/)
  await staged.discard()
  expect(await read('accounts.yaml')).toBe(BY_HAND['accounts.yaml'])
  expect(await read('callers.yaml')).toBe('# other\n')
  expect(await readdir(root)).toEqual(['tree'])
})

test('a tree that appears in the meantime is not overwritten either', async () => {
  const staged = await stage()
  await staged.put(change())
  await write(BY_HAND)
  await expect(staged.commit()).rejects.toThrow(/somebody else/)
  await staged.discard()
  await staged.discard()
  expect(await read('accounts.yaml')).toBe(BY_HAND['accounts.yaml'])
})

test('sending is turned on with approval of the very letter, and off again', async () => {
  await commit(change())
  expect(await read('policies/agent.yaml')).toContain('send: false')
  expect(await read('callers.yaml')).toContain('toolsets: [ inbox ]')
  const smtp = { host: 'smtp.example.org', port: 465, tls: 'implicit' } as const
  await commit(change({ smtp }, { sends: true, plan: planFor(choiceOf('assistant'), {}) }))
  expect(await read('policies/agent.yaml')).toMatch(
    /send: \{ approval: always \}\napprovals: \{ require_digest: true \}/,
  )
  expect(await read('callers.yaml')).toContain('toolsets: [ inbox, outbox ]')
  const [policy] = loadTree(tree, {}, root).policies.values()
  expect(policy?.send).toMatchObject({ approval: 'always', requireDigest: true })
  await commit(change())
  const loaded = loadTree(tree, {}, root)
  expect([...loaded.policies.values()][0]?.send?.approval).toBe('forbidden')
  expect(await read('accounts.yaml')).not.toContain('smtp')
})

test('names that YAML would take for something else come back as they were', async () => {
  const odd = { id: 'on', user: 'yes: #no', address: "o'neil@example.org" }
  await commit(change(odd, { plan: planFor({ folders: ['- x', '#1', '"q"', 'a: b'], level: 'FULL', may: [] }, {}) }))
  const loaded = loadTree(tree, {}, root)
  expect(loaded.accounts[0]).toMatchObject({ id: 'on', user: 'yes: #no', identity: "o'neil@example.org" })
  const [policy] = loaded.policies.values()
  expect(policy?.accounts.get('on')?.map(({ path }) => path)).toEqual(['- x', '#1', '"q"', 'a: b'])
})
