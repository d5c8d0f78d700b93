import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADA, BEN, PASSWORD, type Scene, startClient, startScene, textOf } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

test('from nothing to an agent that reads mail, and a letter that waits', async () => {
  const smtp = ['--smtp-host', '127.0.0.1', '--smtp-port', String(scene.sink.port)]
  const ran = await scene.setup('--preset', 'assistant', '--client', 'cursor,vscode', ...smtp)
  expect(ran).toMatchObject({ code: 0, stdout: '' })
  expect(ran.stderr).toContain('It works: 5 folders, 4 messages in the inbox.')
  expect(ran.stderr).toMatch(/caf\u00e9 .*red\n {2}third\n {2}second\n/)
  expect(ran.stderr).not.toContain('\u001b')
  expect(ran.stderr).not.toContain(PASSWORD)
  // The login where letters leave was tried, and nothing was sent.
  expect(scene.sink.logins.length).toBeGreaterThan(0)
  expect(scene.sink.messages).toEqual([])

  const checked = await scene.postern(['check'])
  expect(checked).toMatchObject({ code: 0 })
  expect(checked.stdout + checked.stderr).not.toMatch(/warning/i)

  const client = await startClient(scene.home, '.cursor/mcp.json', 'mcpServers')
  try {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['list_emails', 'create_draft', 'send_email']))
    const listed = await textOf(client, 'list_emails', { account: ADA })
    expect(listed).toContain('third')
    expect(
      await textOf(client, 'create_draft', { account: ADA, to: ['x@example.com'], subject: 's', body: 'b' }),
    ).not.toMatch(/denied|error/i)
    const sent = await textOf(client, 'send_email', { to: 'new@example.com', subject: 'hello', body: 'a letter' })
    expect(sent).toContain('Waiting:')
    expect(scene.sink.messages).toEqual([])
    const outbox = await scene.postern(['outbox', '--json'])
    const { id } = JSON.parse(outbox.stdout.split('\n')[0] ?? '')
    expect(await scene.postern(['approve', id, '--yes'])).toMatchObject({ code: 0 })
    await textOf(client, 'send_email', { to: 'new@example.com', subject: 'hello', body: 'a letter' })
    expect(scene.sink.messages.map(({ recipients }) => recipients)).toEqual([['new@example.com']])
  } finally {
    await client.close()
  }
})

test('other clients are added, shown and removed', async () => {
  const printed = await scene.postern(['client', 'add', 'windsurf', '--print'])
  const { command, args, env } = JSON.parse(printed.stdout).mcpServers.postern
  expect([command, args.slice(1)]).toEqual([process.execPath, ['--config', scene.tree]])
  expect(env).toEqual({ IMAP_MCP_CALLER_ID: 'agent', DEV_MODE: 'false' })
  expect((await scene.postern(['client', 'add', 'claude-code', '--print'])).stdout).toMatch(/^claude mcp add postern /)
  expect(await scene.postern(['client', 'add', 'windsurf'])).toMatchObject({ code: 0 })
  expect((await scene.postern(['client', 'list'])).stdout).toMatch(/^windsurf +has Postern/m)
  expect(await scene.postern(['client', 'remove', 'windsurf'])).toMatchObject({ code: 0 })
  expect((await scene.postern(['client', 'list'])).stdout).toMatch(/^windsurf +found here/m)
  const wrong = await scene.postern(['client', 'add', 'curser'])
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('did you mean cursor?') })
})

test('the tree is its owner’s alone, explains itself and holds no password but in its place', async () => {
  const all = await scene.everything()
  const own = Object.entries(all).filter(([name]) => name.startsWith('.config/postern'))
  expect(own.map(([name, what]) => [name, what.split(' ')[0]])).toEqual([
    ['.config/postern', '700'],
    ['.config/postern/accounts.yaml', '600'],
    ['.config/postern/callers.yaml', '600'],
    ['.config/postern/policies', '700'],
    ['.config/postern/policies/agent.yaml', '600'],
    ['.config/postern/secrets', '700'],
    ['.config/postern/secrets/accounts', '700'],
    ['.config/postern/secrets/accounts/example', '700'],
    ['.config/postern/secrets/accounts/example/password', '600'],
  ])
  const holding = Object.entries(all).filter(([, what]) => what.includes(PASSWORD))
  expect(holding.map(([name]) => name)).toEqual(['.config/postern/secrets/accounts/example/password'])
  for (const file of ['accounts.yaml', 'callers.yaml', 'policies/agent.yaml']) {
    expect(await scene.read(file)).toMatch(/^# .*postern setup/)
  }
  expect(await scene.read('callers.yaml')).toMatch(/toolsets: \[ inbox, outbox \]\n(.*\n)*.*hide_denied_tools: true/)
  expect(await scene.read('policies/agent.yaml')).toMatch(
    /send: \{ approval: always \}\napprovals: \{ require_digest: true \}/,
  )
})

test('again, with another address: a second account beside the first, and what a person wrote stays', async () => {
  const note = '# my own note'
  const own = `${await scene.read('accounts.yaml')}${note}\n`
  await writeFile(join(scene.tree, 'accounts.yaml'), own)
  const words = [
    'setup',
    '--yes',
    '--address',
    BEN,
    '--imap-host',
    '127.0.0.1',
    '--imap-port',
    String(scene.dovecot.port),
  ]
  const ran = await scene.postern([...words, '--password-file', '-', '--preset', 'look'], 'ben-secret\n')
  expect(ran).toMatchObject({ code: 0 })
  expect(await scene.read('accounts.yaml')).toContain(note)
  const checked = await scene.postern(['check'])
  expect(checked.code).toBe(0)
  expect(checked.stdout).toContain('example-ben')
  // Looking does not send, and does not take sending from the other.
  expect(await scene.read('accounts.yaml')).toMatch(/id: example-ben\n(?!.*smtp)/)
  expect((await scene.read('accounts.yaml')).match(/smtp:/g)).toHaveLength(1)
  expect(await scene.read('policies/agent.yaml')).toContain('approval: always')
})

test('again, for the same address: changed, in place', async () => {
  const before = await scene.read('accounts.yaml')
  const ran = await scene.postern(['setup', '--yes', '--address', BEN, '--mirror', 'headers'])
  expect(ran).toMatchObject({ code: 0 })
  const after = await scene.read('accounts.yaml')
  expect(after).toBe(before.replace(/(id: example-ben[\s\S]*mirror: )off/, '$1headers'))
  expect(ran.stderr).toContain('What was there before is in')
})

test('a wrong password writes nothing', async () => {
  const before = await scene.everything()
  const wrong = join(dirname(scene.passwordFile), 'wrong-password')
  await writeFile(wrong, 'no')
  const words = [
    'setup',
    '--yes',
    '--address',
    'ada@example.com',
    '--imap-host',
    '127.0.0.1',
    '--imap-port',
    String(scene.dovecot.port),
  ]
  const ran = await scene.postern([...words, '--password-file', wrong])
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toMatch(/^postern: .*(password|refused)/)
  expect(await scene.everything()).toEqual(before)
})

test('removing: one, then the last, and what was kept is beside it', async () => {
  const ran = await scene.postern(['setup', '--yes', '--remove', 'example-ben'])
  expect(ran).toMatchObject({ code: 0 })
  expect((await scene.postern(['check'])).code).toBe(0)
  expect(await scene.read('accounts.yaml')).not.toContain(BEN)
  expect(await scene.read('policies/agent.yaml')).not.toContain('example-ben')
  expect(Object.keys(await scene.everything())).not.toContain('.config/postern/secrets/accounts/example-ben/password')
  expect((await scene.postern(['setup', '--yes', '--remove', 'nobody'])).stderr).toContain(
    'there is no account of that name',
  )
  expect(await scene.postern(['setup', '--yes', '--remove', 'example'])).toMatchObject({ code: 0, stdout: '' })
  expect((await scene.postern(['check'])).stderr).toContain('no configuration')
  const left = Object.entries(await scene.everything()).filter(
    ([name]) => name.includes('postern/') && !name.includes('backups') && !name.includes('state'),
  )
  expect(left.filter(([, what]) => what.includes(PASSWORD))).toEqual([])
  // And from nothing again.
  expect((await scene.setup('--preset', 'draft')).code).toBe(0)
  expect(await scene.postern(['check'])).toMatchObject({ code: 0 })
  expect(await scene.read('policies/agent.yaml')).toContain('send: false')
})

test('without --yes and a terminal it says what to do', async () => {
  const ran = await scene.postern(['setup'])
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toContain('add --yes')
  const missing = await scene.postern(['setup', '--yes', '--address', 'x@nowhere.invalid', '--imap-host', '127.0.0.1'])
  expect(missing.stderr).toContain('add --')
})
