/** `postern check` and `postern explain`, the operator's view of a tree. */
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { letter } from '../mail-source/messages.ts'
import { callerLine, type Scene, startScene, treeOf } from './scene.ts'

let scene: Scene
afterEach(() => scene.close())

describe('check', () => {
  test('says in words what each caller may do', async () => {
    scene = await startScene({
      ...treeOf(['ann', 'ben']),
      'callers.yaml': `callers:\n${callerLine('ann', 'stdio', ', limits: { per_minute: 3 }')}${callerLine('ben')}`,
    })
    const { code, stdout, stderr } = await scene.run(['check'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`ok: 2 accounts and 2 callers in ${scene.tree}\n`)
    expect(stdout).toMatch(/^ann {2}\(trusted on stdio; tools: policy; at most 3 calls a minute\)$/m)
    expect(stdout).toMatch(/^ben {2}\(by its shared token; tools: policy\)$/m)
    expect(stdout).toContain('Every other account and folder is hidden.')
    expect(stdout).not.toContain('token-of')
  })

  test('warns of a secret that is missing and of one that others can read', async () => {
    scene = await startScene({ ...treeOf(['ann', 'ben']), 'secrets/callers/ben': '' })
    await chmod(join(scene.tree, 'secrets/callers/ann'), 0o644)
    const { code, stderr } = await scene.run(['check'])
    expect(code).toBe(0)
    const lines = stderr.trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines.every((line) => line.startsWith('warning: '))).toBe(true)
    expect(stderr).toMatch(/callers\/ann can be read by other users/)
    expect(stderr).toMatch(/callers\/ben/)
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
    expect(hidden.stdout).toMatch(/ at NONE /)
    expect(hidden.stdout).toMatch(/^ {2}\[ \] {2}BODY /m)
    for (const [more, told] of [
      [{ caller: 'eve' }, 'there is no caller "eve"'],
      [{ account: 'eve' }, 'there is no account "eve"'],
      [{ folder: 'Archive' }, 'does not name that folder'],
    ] as const) {
      const refused = await ask(1, more)
      expect([refused.code, refused.stdout]).toEqual([1, ''])
      expect(refused.stderr).toContain(told)
    }
    expect((await ask(99)).code).toBe(1)
  })
})
