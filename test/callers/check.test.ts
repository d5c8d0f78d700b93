/** `postern check` and `postern explain`, the operator's view of a tree. */
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { otherClient } from '../dovecot/other-client.ts'
import { letter } from '../mail-source/messages.ts'
import { accountsYaml, callerLine, policyYaml, type Scene, startScene, treeOf } from './scene.ts'

let scene: Scene
afterEach(() => scene.close())

describe('check', () => {
  test('says in words what each caller may do', async () => {
    scene = await startScene({
      ...treeOf(['ann', 'ben']),
      'callers.yaml': `callers:\n${callerLine('ann', 'stdio', ', limits: { per_minute: 3 }')}${callerLine('ben')}`,
    })
    await Promise.all(['ann', 'ben'].map((account) => scene.deliver(account, 'hello')))
    const { code, stdout, stderr } = await scene.run(['check'])
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^warning: callers\.yaml: caller "ann" is stdio_trusted, .* over HTTP; keep .* another tree\n$/,
    )
    expect(stdout).toContain(`ok: 2 accounts and 2 callers in ${scene.tree}\n`)
    expect(stdout).toMatch(/^ann {2}\(trusted on stdio; tools: policy; at most 3 calls a minute\)$/m)
    expect(stdout).toMatch(/^ben {2}\(by its shared token; tools: policy\)$/m)
    expect(stdout).toContain('Every other account and folder is hidden.')
    expect(stdout).not.toContain('token-of')
  })

  test('warns of a secret that is missing and of one that others can read', async () => {
    scene = await startScene({ ...treeOf(['ann', 'ben']), 'secrets/callers/ben': '' })
    await Promise.all(['ann', 'ben'].map((account) => scene.deliver(account, 'hello')))
    await chmod(join(scene.tree, 'secrets/callers/ann'), 0o644)
    const { code, stderr } = await scene.run(['check'])
    expect(code).toBe(0)
    const lines = stderr.trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines.every((line) => line.startsWith('warning: '))).toBe(true)
    expect(stderr).toMatch(/callers\/ann can be read by other users/)
    expect(stderr).toMatch(/callers\/ben/)
  })

  test('says nothing of a tree that is ready to be served', async () => {
    scene = await startScene(treeOf(['ann']))
    await scene.deliver('ann', 'hello')
    expect(await scene.run(['check'])).toMatchObject({ code: 0, stderr: '' })
  })

  test('says what is still to be done: mail, a grant, a better token', async () => {
    const grantee =
      '  - { id: g, provider: google, user: g@example.com, auth: { type: xoauth2, secret_ref: "secret://g" } }\n'
    scene = await startScene({
      ...treeOf(['ann']),
      'accounts.yaml': accountsYaml(['ann']).replace('secret_store', `${grantee}secret_store`),
      'policies/ann.yaml': `${policyYaml('ann', 'FULL')}  g: []\n`,
      'secrets/callers/ann': 'nineteen-characters',
    })
    const { code, stderr } = await scene.run(['check'])
    expect([code, stderr.trimEnd().split('\n')]).toEqual([
      0,
      [
        'warning: account "ann" is empty: nothing is imported yet; run "npx postern import PATH --account ann"',
        'warning: account "g": nobody has granted access yet; run "npx postern oauth --account g"',
        expect.stringMatching(/^warning: the token of caller "ann" has fewer than 20 characters/),
      ],
    ])
    expect((await scene.run(['check'])).stderr).not.toContain('nineteen')
    const server = await scene.serve()
    expect(server.process.errors).toMatch(/the token of caller \\"ann\\" has fewer than 20 characters/)
    // Over variables nobody can be granted anything: then the variable is named, and the ref once.
    await scene.write({ 'accounts.yaml': `accounts:\n${grantee}secret_store: { backend: env_var }\n` })
    await scene.write({ 'policies/ann.yaml': 'name: ann\naccounts: { g: [] }\n' })
    const { stderr: told } = await scene.run(['check'])
    expect(told).toMatch(/IMAP_MCP_SECRET__G\b/)
    expect(told.match(/secret:\/\/g/g)).toHaveLength(1)
  })

  test('tells every fault with file, line and column, and ends with 1', async () => {
    scene = await startScene({
      ...treeOf(['ann']),
      'callers.yaml': 'callers:\n  - { id: ann, policy: nowhere, auth: { type: stdio_trusted } }\n',
      'policies/ann.yaml': 'name: ann\naccounts:\n  ann:\n    - { path: INBOX, mode: grey, default: FULL }\n',
    })
    const { code, stdout, stderr } = await scene.run(['check'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^callers\.yaml:2:\d+: /m)
    expect(stderr).toMatch(/^policies\/ann\.yaml:4:\d+: /m)
  })
})

describe('explain', () => {
  let dovecot: Dovecot

  beforeAll(async () => {
    dovecot = await startDovecot({ users: { ann: 'ann-password' } })
    const senders = ['Boss <boss@example.com>', 'Eve <eve@evil.example>']
    await dovecot.deliver(
      'ann',
      'INBOX',
      senders.map((from) => ({ raw: letter({ from }) })),
    )
  })
  afterAll(() => dovecot.stop())

  const ask = (
    uid: number,
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ code: number; stdout: string; stderr: string }> => {
    const flags = { caller: 'ann', account: 'ann', folder: 'INBOX', uid: String(uid), ...more }
    return scene.run(['explain', ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])])
  }

  test('looks at the message on the server and names the rule', async () => {
    scene = await startScene({
      ...treeOf(['ann']),
      'accounts.yaml': `accounts:
  - id: ann
    provider: imap-standard
    host: 127.0.0.1
    port: ${dovecot.port}
    auth: { type: password, secret_ref: secret://accounts/ann }
secret_store: { backend: file_dir, path: secrets }
`,
      'secrets/accounts/ann': 'ann-password',
      'policies/ann.yaml': `name: ann
accounts:
  ann:
    - path: INBOX
      mode: whitelist
      default: NONE
      rules:
        - match: { from_domain: example.com }
          grant: BODY
`,
    })
    const seen = await ask(1)
    expect([seen.code, seen.stderr]).toEqual([0, ''])
    expect(seen.stdout).toMatch(/^ann sees message 1 of ann, INBOX, at BODY \(rule_matched\)\n/)
    expect(seen.stdout).toMatch(/^ {2}\[x\] {2}BODY .*example\.com/m)
    const hidden = await ask(2)
    expect(hidden.stdout).toMatch(/ at NONE \(sender_\w+: [a-z ]+\)\n/)
    expect(hidden.stdout).toMatch(/^ {2}\[ \] {2}BODY /m)
    for (const [more, told] of [
      [{ caller: 'eve' }, 'there is no caller "eve" in the configuration; there are: ann\n'],
      [{ account: 'eve' }, 'there is no account "eve" in the configuration; there are: ann\n'],
      [{ folder: 'Archive' }, 'does not name that folder, so it is hidden; it names INBOX\n'],
    ] as const) {
      const refused = await ask(1, more)
      expect([refused.code, refused.stdout]).toEqual([1, ''])
      expect(refused.stderr).toContain(told)
    }
    expect((await ask(99)).code).toBe(1)
    // Where the policy speaks of every folder, the server is asked, and has its own.
    const all = 'name: ann\naccounts:\n  ann:\n    - { path: "**", mode: blacklist, default: FULL }\n'
    await scene.write({ 'policies/ann.yaml': all })
    const slip = await ask(1, { folder: 'Inboxx' })
    expect([slip.code, slip.stdout, slip.stderr]).toEqual([
      1,
      '',
      'postern: the account has no such folder; it has INBOX, Sent, Trash\n',
    ])
    const client = await otherClient(dovecot.port, 'ann', 'ann-password')
    for (let at = 10; at < 22; at += 1) await client.imap.mailboxCreate(`Folder ${at}`)
    await client.close()
    const many = await ask(1, { folder: 'Inboxx' })
    expect(many.stderr).toMatch(/ it has INBOX(, (Sent|Trash|Folder \d\d)){9} and 5 more\n$/)
  })
})
