/** A machine with nothing on it but what a test puts there, and a doctor who looks at it. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createLog } from '../../src/adapters/log/log.ts'
import { CHECKS } from '../../src/engine/doctor/checks.ts'
import { type Examined, examine } from '../../src/engine/doctor/examine.ts'
import type { Verdict } from '../../src/engine/doctor/finding.ts'
import { openDoctor } from '../../src/house/doctor.ts'
import { freePort } from '../dovecot/dovecot.ts'
import { PROGRAM } from '../imap/postern.ts'

export type Variables = Readonly<Record<string, string>>

export interface Machine {
  readonly home: string
  /** The data directory, which is not made. */
  readonly data: string
  readonly tree: string
  readonly env: Variables
  /** Puts files below a directory, private to their owner. */
  put(directory: string, files: Readonly<Record<string, string>>): void
  /** What the doctor says, with these variables beside the machine's own. */
  doctor(env?: Variables): Promise<readonly Examined[]>
}

const told: string[] = []

/** Everything that any doctor of this file said or logged. */
export function everythingSaid(): string {
  return told.join('\n')
}

export async function newMachine(): Promise<Machine> {
  const home = mkdtempSync(join(tmpdir(), 'doc-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const [data, tree] = [join(home, 'data'), join(home, 'tree')]
  const port = await freePort()
  const env: Variables = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    POSTERN_DATA_DIR: data,
    IMAP_MCP_HTTP_PORT: String(port),
  }
  return {
    home,
    data,
    tree,
    env,
    put(directory, files) {
      for (const [name, text] of Object.entries(files)) {
        const path = join(directory, name)
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        writeFileSync(path, text, { mode: 0o600 })
      }
    },
    doctor: (more = {}) => examined({ ...env, ...more }),
  }
}

async function examined(env: Variables): Promise<readonly Examined[]> {
  const log = createLog({ level: 'debug', destination: (line) => void told.push(line) })
  const { world, close } = openDoctor(undefined, { env, platform: process.platform, log, program: PROGRAM })
  try {
    const { signal } = new AbortController()
    const { findings } = await examine({ world, checks: CHECKS, log, signal })
    told.push(JSON.stringify(findings))
    return findings
  } finally {
    await close()
  }
}

/** That the doctor found it, and named the cure. Nothing else is broken, or it would not be told apart. */
export function expectFound(
  findings: readonly Examined[],
  check: string,
  verdict: Exclude<Verdict, 'ok'>,
  sentence: RegExp,
  cure: RegExp,
): void {
  expect(findings).toContainEqual(
    expect.objectContaining({
      check,
      verdict,
      sentence: expect.stringMatching(sentence),
      cure: expect.stringMatching(cure),
    }),
  )
  const alsoBroken = findings.filter((finding) => finding.verdict === 'broken' && finding.check !== check)
  expect(alsoBroken).toEqual([])
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The built program, as somebody may start it. */
export function runProgram(words: readonly string[], env: Variables, as?: number): Promise<Ran> {
  return new Promise((resolve) => {
    const who = as === undefined ? {} : { uid: as, gid: as }
    execFile(process.execPath, [PROGRAM, ...words], { env, ...who, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    )
  })
}

/** The tree of one account and one caller over stdio. */
export function treeWith(account: string, more = ''): Record<string, string> {
  return {
    'accounts.yaml': `accounts:\n  - { id: work, ${account} }\nsecret_store: { backend: file_dir, path: secrets }\n${more}`,
    'callers.yaml': 'callers:\n  - { id: agent, policy: all, auth: { type: stdio_trusted } }\n',
    'policies/all.yaml': 'name: all\naccounts:\n  work:\n    - { path: INBOX, mode: blacklist, default: FULL }\n',
  }
}
