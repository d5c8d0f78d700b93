/** What commands say to somebody who mistyped a name, or has set up nothing yet: the built program, on real files. */
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Scene, startScene, treeOf } from './scene.ts'

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
})
afterEach(() => scene.close())

test('the record of a server that nobody has started yet is empty, and no failure', async () => {
  const audit = join(scene.data, 'audit')
  expect(await scene.run(['audit', 'show'])).toEqual({
    code: 0,
    stdout: '',
    stderr: `postern: there are no records yet; they will be in ${audit}\n`,
  })
  const named = await scene.run(['audit', 'show', audit])
  expect(named).toMatchObject({ code: 1, stdout: '' })
  expect(named.stderr).toContain('there is no such directory')
})

test('what is not there is said before it is said that nobody can be asked', async () => {
  expect((await scene.run(['approve', '261115-0a1b'])).stderr).toContain('there is no letter with that id')
  expect((await scene.run(['reject', '261115-0a1b'])).stderr).toContain('there is no letter with that id')
  expect(await scene.run(['forget', 'anne'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'postern: there is no account "anne", and nothing is kept of it; there are: ann, ben\n',
  })
  expect((await scene.run(['forget', 'ann'])).stderr).toContain('add --yes')
})

describe('accounts from the environment', () => {
  const DEFAULT = {
    POSTERN_CONFIG_DIR: '',
    MAIL_IMAP_DEFAULT_HOST: 'imap.example.com',
    MAIL_IMAP_DEFAULT_USER: 'me@example.com',
    MAIL_IMAP_DEFAULT_PASS: 'qx-the-password',
  }
  const SMTP = { ...DEFAULT, MAIL_IMAP_DEFAULT_SMTP_HOST: 'smtp.example.com' }

  test('check says what a server started so offers', async () => {
    const { code, stdout, stderr } = await scene.run(['check'], DEFAULT)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(
      [
        'ok: a server started here has 1 account, from the environment (MAIL_IMAP_* variables); there is no configuration tree',
        '',
        '  default  imap.example.com',
        '',
        'Whoever starts it counts as the owner of this mail: there are no callers and no policies, and no folder is hidden.',
        '  tools: imap',
        '  writing is off: nothing in a mailbox can be changed; MAIL_IMAP_WRITE_ENABLED=true turns it on',
        '  sending is off: no account has a server for it; MAIL_IMAP_<ACCOUNT>_SMTP_HOST names one',
        '',
      ].join('\n'),
    )
  })

  test.each([
    [{}, 'writing is off', 'sending is off, as writing is'],
    [{ MAIL_IMAP_WRITE_ENABLED: 'true' }, 'writing is on', 'none leaves; DEV_MODE=false turns it on'],
    [{ MAIL_IMAP_WRITE_ENABLED: 'true', DEV_MODE: 'false' }, 'writing is on', 'sending is on: every letter waits'],
  ])('with an SMTP server and %j', async (more, writing, sending) => {
    const { stdout } = await scene.run(['check'], { ...SMTP, ...more })
    expect(stdout).toContain('  default  imap.example.com, sends through smtp.example.com\n')
    expect(stdout).toContain('  tools: imap, outbox\n')
    expect(stdout).toContain(`  ${writing}`)
    expect(stdout).toContain(sending)
    expect(stdout).not.toContain('qx-the-password')
  })

  test('what was imported counts too, and nothing at all is still a failure', async () => {
    await scene.deliver('old', 'hello')
    expect((await scene.run(['check'], DEFAULT)).stdout).toMatch(
      / has 2 accounts, .*\n\n {2}default {2}imap.*\n {2}old {6}imported\n/,
    )
    expect((await scene.run(['check'], { POSTERN_CONFIG_DIR: '' })).stdout).toContain(
      '1 account, from what was imported;',
    )
    const nothing = { POSTERN_CONFIG_DIR: '', POSTERN_DATA_DIR: join(scene.data, 'none') }
    expect(await scene.run(['check'], nothing)).toMatchObject({ code: 1, stdout: '' })
  })

  test('of the environment and a tree it is said which one counts', async () => {
    // The user's own place is below the root of the scene.
    const own = join(scene.tree, '..', 'postern')
    await cp(scene.tree, own, { recursive: true })
    const both = await scene.run(['check'], DEFAULT)
    expect(both.code).toBe(0)
    expect(both.stdout).toContain(`(MAIL_IMAP_* variables); not from the tree in ${own}\n`)
    expect(both.stdout).toContain(`\nok: 2 accounts and 2 callers in ${own}\n`)
    const named = await scene.run(['check', '--config', own], DEFAULT)
    expect(named.stdout).not.toContain('a server started here')
    expect(named.stderr).toContain(
      'warning: MAIL_IMAP_DEFAULT_HOST and the like are not used: the tree that --config names counts\n',
    )
  })

  test('explain and client add say what follows from it', async () => {
    const message = ['--caller', 'a', '--account', 'default', '--folder', 'INBOX', '--uid', '1']
    const explained = await scene.run(['explain', ...message], DEFAULT)
    expect(explained).toMatchObject({ code: 1, stdout: '' })
    expect(explained.stderr).toContain('come from MAIL_IMAP_* variables, so there are no policies to explain')
    const added = await scene.run(['client', 'add', 'cursor'], DEFAULT)
    expect(added).toMatchObject({ code: 1, stdout: '' })
    expect(added.stderr).toContain('into the client by hand')
  })
})

test('a client whose file is not edited here is shown what belongs there', async () => {
  await scene.write(treeOf(['ann', 'ben'], 'stdio'))
  const { code, stdout, stderr } = await scene.run(['client', 'add', 'codex', '--caller', 'ann'])
  expect(code).toBe(1)
  expect(stdout).toMatch(/^\[mcp_servers\."postern"\]\ncommand = /)
  expect(stderr).toMatch(
    /^postern: nothing was changed\. Put this into \S*\.codex\/config\.toml yourself, then start it anew\n$/,
  )
  expect((await scene.run(['client', 'add', 'codex', '--caller', 'ann', '--print'])).stdout).toBe(stdout)
})
