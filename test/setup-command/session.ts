/** A person who sets up, or a script: every question is answered by the option that it names. */
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'vitest'
import { createLog } from '../../src/adapters/log/log.ts'
import { setupDesk } from '../../src/house/setup-desk.ts'
import type { SetupChoice } from '../../src/surfaces/cli/setup/choice.ts'
import type { Option, Prompter } from '../../src/surfaces/cli/setup/prompter.ts'
import { setupCommand } from '../../src/surfaces/cli/setup/setup.ts'
import { unasked } from '../../src/surfaces/cli/setup/unasked.ts'
import { ADA } from './scene.ts'

export interface Session {
  readonly code: number
  readonly said: string
  /** Each question with what stood there already. */
  readonly asked: readonly (readonly [flag: string, initial: unknown])[]
  /** What could be chosen, by the message of the question. */
  readonly offered: Readonly<Record<string, readonly string[]>>
}

interface Asked {
  readonly flag: string
  readonly message: string
  readonly initial?: unknown
  readonly options?: readonly Option<string>[]
}

/** Answers in turn, by the option that a question names; where none is left, with what stands there already. */
export async function session(
  home: string,
  answers: Readonly<Record<string, readonly unknown[]>>,
  choice: Partial<SetupChoice> = {},
  interactive = true,
): Promise<Session> {
  const left = new Map(Object.entries({ '--address': [ADA], ...answers }).map(([flag, given]) => [flag, [...given]]))
  const asked: [string, unknown][] = []
  const offered: Record<string, readonly string[]> = {}
  let said = ''
  const answer = async ({ flag, message, initial, options }: Asked): Promise<never> => {
    asked.push([flag, initial])
    if (options !== undefined) offered[message] = options.map(({ value }) => value)
    const given = left.get(flag)?.shift() ?? initial
    if (given === undefined) throw new Error(`nobody answers ${flag}`)
    return given as never
  }
  const say = (text: string): void => {
    said += `${text}\n`
  }
  const all = { text: answer, secret: answer, choose: answer, several: answer, agree: answer }
  const prompter: Prompter = { interactive, ...all, say, busy: (_, work) => work() }
  const desk = deskIn(home)
  const terminal = { print: () => expect.unreachable('nothing is printed'), complain: say }
  const parts = { desk, prompter, terminal, openBrowser: async () => false, signal: new AbortController().signal }
  const code = await setupCommand({ yes: false, paste: false, secrets: 'file', ...choice }, parts)
  return { code, said, asked, offered }
}

/** As with --yes. */
export async function script(home: string, choice: Partial<SetupChoice>): Promise<Pick<Session, 'code' | 'said'>> {
  let said = ''
  const complain = (text: string): void => {
    said += text
  }
  const terminal = { print: () => expect.unreachable('nothing is printed'), complain }
  const desk = deskIn(home)
  const prompter = unasked(terminal)
  const parts = { desk, prompter, terminal, openBrowser: async () => false, signal: new AbortController().signal }
  const code = await setupCommand({ yes: true, paste: false, secrets: 'file', ...choice }, parts)
  return { code, said }
}

function deskIn(home: string): ReturnType<typeof setupDesk> {
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), POSTERN_DATA_DIR: join(home, 'data') }
  const lookup = { services: async () => [], exchanges: async () => [], published: async () => undefined }
  return setupDesk(undefined, {
    env,
    platform: 'linux',
    log: createLog({ level: 'silent' }),
    stdin: Readable.from([]),
    lookup,
  })
}

export const initials = ({ asked }: Session, flag: string): unknown[] =>
  asked.filter(([name]) => name === flag).map(([, initial]) => initial)
