import { expect, test } from 'vitest'
import { Failure } from '../../core/failure.ts'
import { DEFAULT_DEMO, DEFAULT_SERVE, quickServeChoice } from './choices.ts'
import { type Commands, runProgram } from './program.ts'

interface Run {
  readonly code: number
  readonly asked: readonly unknown[]
  readonly printed: string
  readonly complained: string
}

const run = (...argv: string[]): Promise<Run> => runWith(argv)

async function runWith(argv: readonly string[], work?: () => Promise<number>): Promise<Run> {
  const asked: unknown[] = []
  let printed = ''
  let complained = ''
  const heard =
    (name: keyof Commands, code: number) =>
    async (choice: object): Promise<number> => {
      asked.push(name, choice)
      return work === undefined ? code : work()
    }
  const commands: Commands = {
    serve: heard('serve', 0),
    demo: heard('demo', 0),
    importMail: heard('importMail', 3),
    verifyAudit: heard('verifyAudit', 1),
    showAudit: heard('showAudit', 0),
    check: heard('check', 0),
    explain: heard('explain', 0),
    reload: heard('reload', 0),
    oauth: heard('oauth', 0),
    transfers: heard('transfers', 0),
    sync: heard('sync', 0),
    forget: heard('forget', 0),
    outbox: heard('outbox', 0),
    doctor: heard('doctor', 1),
    approve: heard('approve', 0),
    reject: heard('reject', 0),
    console: heard('console', 0),
    setup: heard('setup', 0),
    client: heard('client', 0),
  }
  const terminal = {
    print: (text: string) => {
      printed += text
    },
    complain: (text: string) => {
      complained += text
    },
  }
  const code = await runProgram(argv, '1.2.3', commands, terminal)
  return { code, asked, printed, complained }
}

test.each<[string[], unknown[], number]>([
  [[], ['serve', DEFAULT_SERVE], 0],
  [
    ['--transport', 'http', '--host', '::1', '--port', '0'],
    ['serve', { ...DEFAULT_SERVE, transport: 'http', host: '::1', port: 0 }],
    0,
  ],
  [['serve', '--toolsets', 'imap,outbox'], ['serve', { ...DEFAULT_SERVE, toolsets: ['imap', 'outbox'] }], 0],
  [['demo'], ['demo', DEFAULT_DEMO], 0],
  [['demo', '--stdio', '--port', '9000'], ['demo', { stdio: true, port: 9000 }], 0],
  [['import', 'a.mbox', '--account', 'old'], ['importMail', { path: 'a.mbox', account: 'old' }], 3],
  [['audit', 'verify'], ['verifyAudit', {}], 1],
  [['audit', 'verify', 'dir'], ['verifyAudit', { directory: 'dir' }], 1],
  [['audit', 'show', '--tool', 'search', '-n', '5'], ['showAudit', { tool: 'search', limit: 5 }], 0],
  [['--config', 'tree'], ['serve', { ...DEFAULT_SERVE, config: 'tree' }], 0],
  [['check', '--config', 'tree'], ['check', { config: 'tree' }], 0],
  [
    ['explain', '--caller', 'a', '--account', 'b', '--folder', 'INBOX', '--uid', '7'],
    ['explain', { caller: 'a', account: 'b', folder: 'INBOX', uid: 7 }],
    0,
  ],
  [['reload'], ['reload', {}], 0],
  [['transfers', 'list'], ['transfers', { command: 'list', all: false }], 0],
  [['transfers', 'retry', 'x'], ['transfers', { command: 'retry', which: { txId: 'x' } }], 0],
  [['transfers', 'retry', '--all'], ['transfers', { command: 'retry', which: 'all' }], 0],
  [['transfers', 'abandon', 'x'], ['transfers', { command: 'abandon', txId: 'x' }], 0],
  [['outbox'], ['outbox', { command: 'list', all: false, json: false }], 0],
  [['outbox', '--all', '--json'], ['outbox', { command: 'list', all: true, json: true }], 0],
  [['outbox', 'x', '--config', 'tree'], ['outbox', { command: 'show', id: 'x', json: false, config: 'tree' }], 0],
  [['outbox', 'x', '--look'], ['outbox', { command: 'look', id: 'x' }], 0],
  [['outbox', 'x', '--sent'], ['outbox', { command: 'settle', id: 'x', wasSent: true, yes: false }], 0],
  [['outbox', 'x', '--not-sent', '--yes'], ['outbox', { command: 'settle', id: 'x', wasSent: false, yes: true }], 0],
  [['doctor'], ['doctor', { json: false }], 1],
  [['doctor', '--json', '--config', 'tree'], ['doctor', { json: true, config: 'tree' }], 1],
  [['approve', 'x'], ['approve', { id: 'x', yes: false, acknowledgeHidden: false }], 0],
  [
    ['approve', 'x', '--yes', '--acknowledge-hidden', '--config', 'tree'],
    ['approve', { id: 'x', yes: true, acknowledgeHidden: true, config: 'tree' }],
    0,
  ],
  [
    ['approve', 'x', '--as-text'],
    ['approve', { id: 'x', yes: false, acknowledgeHidden: false, version: 'plain_text' }],
    0,
  ],
  [
    ['approve', 'x', '--remove-hidden'],
    ['approve', { id: 'x', yes: false, acknowledgeHidden: false, version: 'without_hidden' }],
    0,
  ],
  [['reject', 'x'], ['reject', { id: 'x' }], 0],
  [['reject', 'x', '--reason', 'no, thanks'], ['reject', { id: 'x', reason: 'no, thanks' }], 0],
  [['oauth', '--account', 'a', '--paste'], ['oauth', { account: 'a', paste: true }], 0],
])('%j', async (argv, asked, code) => {
  expect(await run(...argv)).toEqual({ code, asked, printed: '', complained: '' })
})

test.each<[string[], RegExp]>([
  [['bogus'], /unknown command "bogus"; "postern --help" lists them/],
  [['help', 'setupp'], /unknown command "setupp"; did you mean setup\?/],
  [['setupp'], /unknown command "setupp"; did you mean setup\?/],
  [['check', '/some/dir'], /check takes no argument; write --config \/some\/dir\n/],
  [['reload', '/some/dir'], /reload takes no argument; write --config \/some\/dir\n/],
  [['import'], /missing required argument 'path'/],
  [['--bogus'], /unknown option '--bogus'/],
  [['--port', '70000', '--transport', 'http'], /A port is a number from 0 to 65535/],
  [['--transport', 'carrier-pigeon'], /Allowed choices are stdio, http/],
  [['import', 'a.mbox'], /required option '--account <id>'/],
  [['import', '--account', 'a'], /missing required argument 'path'/],
  [['serve', 'extra'], /too many arguments/],
  [['transfers', 'retry'], /name one transfer to retry, or say --all/],
  [['approve'], /missing required argument 'id'/],
  [['approve', 'x', '--as-text', '--remove-hidden'], /only one of --as-text and --remove-hidden/],
  [['reject'], /missing required argument 'id'/],
  [['outbox', '--sent'], /name the letter/],
  [['outbox', '--look'], /name the letter/],
  [['outbox', 'x', '--all'], /name one letter, or say --all/],
  [['outbox', 'x', '--sent', '--not-sent'], /only one of --look, --sent and --not-sent/],
  [['outbox', 'x', 'y'], /too many arguments/],
  [['transfers', 'retry', 'x', '--all'], /name one transfer to retry, or say --all/],
])('%j is a mistake that is explained', async (argv, words) => {
  const { code, asked, printed, complained } = await run(...argv)
  expect([code, asked, printed]).toEqual([1, [], ''])
  expect(complained).toMatch(words)
})

test('a command that the world said no to ends in one line', async () => {
  const refused = (): Promise<number> => Promise.reject(new Failure('invalid_input', 'there is no such directory'))
  for (const argv of [['transfers', 'list'], ['audit', 'show'], ['audit', 'verify'], ['check'], ['reload']]) {
    const { code, printed, complained } = await runWith(argv, refused)
    expect({ code, printed, complained }).toEqual({
      code: 1,
      printed: '',
      complained: 'postern: there is no such directory\n',
    })
  }
  await expect(runWith(['check'], () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug')
})

test('the version is printed and nothing else', async () => {
  expect(await run('--version')).toEqual({ code: 0, asked: [], printed: '1.2.3\n', complained: '' })
})

test('help teaches by example and names every command', async () => {
  const { code, printed } = await run('--help')
  expect(code).toBe(0)
  for (const words of [
    'postern demo',
    'serve',
    'import',
    'outbox',
    'approve',
    'reject',
    'audit',
    'MAIL_IMAP_DEFAULT_HOST',
    '--version',
  ]) {
    expect(printed).toContain(words)
  }
})

test.each([
  ['help', 'help'],
  ['help', '--'],
  ['help', 'outbox', '--'],
  ['help', 'reload', '--'],
])('%s %s %s runs no command', async (...words) => {
  expect(await run(...words)).toMatchObject({ code: 0, asked: [], printed: expect.stringContaining('Usage: postern') })
})

test.each([[[]], [['setup']], [['audit', 'show']]])('help %j is the same as --help', async (words) => {
  const asked = await run('help', ...words)
  expect(asked).toEqual(await run(...words, '--help'))
  expect(asked).toMatchObject({
    code: 0,
    asked: [],
    printed: expect.stringContaining(['Usage: postern', ...words].join(' ')),
  })
})

test('the quick way in means the same as the long one', async () => {
  for (const argv of [[], ['serve'], ['--transport', 'stdio'], ['--toolsets', 'a,b']]) {
    expect((await run(...argv)).asked).toEqual(['serve', quickServeChoice(argv)])
  }
})
