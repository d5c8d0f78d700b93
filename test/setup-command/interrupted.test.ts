import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../src/adapters/log/log.ts'
import { Failure } from '../../src/core/failure.ts'
import { setupDesk } from '../../src/house/setup-desk.ts'
import type { MailLookup } from '../../src/ports/mail-lookup.ts'
import type { SetupChoice } from '../../src/surfaces/cli/setup/choice.ts'
import type { Prompter } from '../../src/surfaces/cli/setup/prompter.ts'
import { setupCommand } from '../../src/surfaces/cli/setup/setup.ts'
import { PROGRAM } from '../imap/postern.ts'
import { ADA, everythingIn, PASSWORD, type Scene, startScene } from './scene.ts'

let scene: Scene
let home: string
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'pi-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const NOWHERE: MailLookup = {
  services: async () => [],
  exchanges: async () => [],
  published: async () => undefined,
}

interface Person {
  readonly prompter: Prompter
  readonly asked: string[]
  readonly said: string[]
}

/** Answers by the option that a question names; leaves at the question of that number. */
function person(answers: Readonly<Record<string, unknown>>, leavesAt = Number.POSITIVE_INFINITY): Person {
  const asked: string[] = []
  const said: string[] = []
  const answer = async ({ flag, initial }: { flag: string; initial?: unknown }): Promise<never> => {
    asked.push(flag)
    if (asked.length === leavesAt) throw new Failure('cancelled', 'stopped; nothing was written')
    const given = answers[flag] ?? initial
    if (given === undefined) throw new Error(`nobody answers ${flag}`)
    return given as never
  }
  const prompter: Prompter = {
    interactive: true,
    text: answer,
    secret: answer,
    choose: answer,
    several: answer,
    agree: answer,
    say: (text) => void said.push(text),
    busy: (_, work) => work(),
  }
  return { prompter, asked, said }
}

const answers = (): Record<string, unknown> => ({
  '--address': ADA,
  '--imap-host': '127.0.0.1',
  '--imap-tls': 'none',
  '--preset': 'custom',
  '--folders': 'INBOX',
  '--level': 'FULL',
  '--may': ['mark', 'draft', 'send'],
  '--smtp-host': '127.0.0.1',
  '--smtp-tls': 'none',
  '--password-file': PASSWORD,
  '--mirror': 'off',
  '--client': ['cursor'],
  '--yes': true,
})

/** Ports are not asked for where TLS says them. */
const ports = (): Partial<SetupChoice> => ({ imapPort: scene.dovecot.port, smtpPort: scene.sink.port })

async function run(
  who: Person,
  choice: Partial<SetupChoice> = {},
  signal = new AbortController().signal,
): Promise<number> {
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), POSTERN_DATA_DIR: join(home, 'data') }
  const log = createLog({ level: 'silent' })
  const desk = setupDesk(undefined, { env, platform: 'linux', log, stdin: Readable.from([]), lookup: NOWHERE })
  const parts = { desk, prompter: who.prompter, openBrowser: async () => false, signal }
  const terminal = {
    print: () => expect.unreachable('nothing is printed'),
    complain: (text: string) => void who.said.push(text),
  }
  return setupCommand({ yes: false, paste: false, ...ports(), ...choice }, { ...parts, terminal })
}

/** Leaves at the first question, then at the second, until nothing is left to ask. How many there were. */
async function leavingEverywhere(given: Readonly<Record<string, unknown>>): Promise<number> {
  const before = await everythingIn(home)
  for (let leavesAt = 1; ; leavesAt += 1) {
    const who = person(given, leavesAt)
    const code = await run(who)
    if (who.asked.length < leavesAt) {
      expect([code, who.said]).toEqual([0, who.said])
      return who.asked.length
    }
    expect(code).toBe(1)
    expect(await everythingIn(home), who.asked.at(-1)).toEqual(before)
  }
}

test('whoever leaves at any question leaves nothing behind; whoever stays has it all', async () => {
  expect(await leavingEverywhere(answers())).toBeGreaterThanOrEqual(9)
  const names = Object.keys(await everythingIn(home))
  expect(names).toContain('config/postern/accounts.yaml')
  expect(names.filter((name) => /setup-|\.tmp/.test(name))).toEqual([])
})

test('the same where there is a tree already: it stays as it was until the end', async () => {
  expect(await run(person(answers()))).toBe(0)
  const change = {
    ...answers(),
    '--address': 'change',
    '--account': 'example',
    '--password-file': true,
    '--preset': 'look',
  }
  expect(await leavingEverywhere(change)).toBeGreaterThanOrEqual(6)
  const changed = await everythingIn(home)
  expect(changed['config/postern/policies/agent.yaml']).toContain('send: false')
  expect(changed['config/postern/accounts.yaml']).not.toContain('smtp:')
  expect(await leavingEverywhere({ ...answers(), '--address': 'remove', '--remove': 'example' })).toBe(3)
  expect(Object.keys(await everythingIn(home))).not.toContain('config/postern/accounts.yaml')
})

test('a wrong password is asked for again, and only the right one is kept', async () => {
  const tries = ['wrong', PASSWORD]
  const who = person(answers())
  const prompter: Prompter = {
    ...who.prompter,
    secret: async () => tries.shift() ?? expect.unreachable('asked too often'),
  }
  expect(await run({ ...who, prompter })).toBe(0)
  expect(tries).toEqual([])
})

test('stopped while the server does not answer: nothing is left', async () => {
  const mute = createServer(() => undefined)
  await new Promise<void>((resolve) => void mute.listen(0, '127.0.0.1', resolve))
  const heard = new Promise((resolve) => mute.once('connection', resolve))
  const { port } = mute.address() as AddressInfo
  const words = [
    'setup',
    '--yes',
    '--address',
    ADA,
    '--imap-host',
    '127.0.0.1',
    '--imap-port',
    String(port),
    '--password-file',
    scene.passwordFile,
  ]
  const child = spawn(process.execPath, [PROGRAM, ...words], { env: { HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  await heard
  child.kill('SIGINT')
  expect(await ended).not.toBe(0)
  expect(await readdir(home)).toEqual([])
  await new Promise((resolve) => {
    mute.close(resolve)
    mute.unref()
  })
})
