/** `postern sync`, as a process of its own, beside the account that it mirrors. */
import { strictEqual } from 'node:assert'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { mirrorPath } from '../src/adapters/mirror/file/path.ts'
import type { MirrorDepth } from '../src/core/mirror/state.ts'
import { MESSAGES } from './mirror-mail.ts'
import { type Ended, runToEnd } from './processes.ts'
import { type Login, postern } from './servers.ts'

/** `home` is made; where there is a mirror in it already, that one is brought up. */
export async function posternSync(home: string, login: Login, depth: MirrorDepth): Promise<Ended> {
  mkdirSync(home, { recursive: true })
  const { args, env } = postern(home, login)
  const ended = await runToEnd({
    command: process.execPath,
    args: [...args, 'sync', '--json'],
    env: { ...env, MAIL_IMAP_BENCH_MIRROR: depth },
    cwd: home,
  })
  const folders = ended.output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly mailbox: string; readonly kept: number })
  strictEqual(folders.find(({ mailbox }) => mailbox === 'INBOX')?.kept, MESSAGES)
  return ended
}

export function mirrorIn(home: string): string {
  return mirrorPath(join(home, 'mirror'), 'bench')
}
