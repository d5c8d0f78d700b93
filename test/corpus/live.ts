/** The built program in front of a real mail server that holds the mail of one test, and what is measured of it. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { type OtherClient, otherClient } from '../dovecot/other-client.ts'
import type { Envelope, Listed } from '../imap/answers.ts'
import { messageId, uidvalidityOf } from '../imap/harness.ts'
import {
  type Arguments,
  account,
  type Postern,
  PROGRAM,
  passwordOf,
  startPostern,
  surroundings,
} from '../imap/postern.ts'

const USER = 'ada'

export interface Live {
  readonly dovecot: Dovecot
  readonly postern: Postern
  /** Another mail program at the same mailbox. */
  readonly other: OtherClient
  /** The message id of the message that was delivered as the `index`th, from 0. */
  idAt(index: number): string
  call(tool: string, args?: Arguments): Promise<Envelope>
  /** The slowest call so far of each tool, in words. */
  slowest(): string
  close(): Promise<void>
}

/** Starts both, with the messages in INBOX in that order. */
export async function startLive(messages: readonly Uint8Array[]): Promise<Live> {
  const dovecot = await startDovecot({ users: { [USER]: passwordOf(USER) } })
  await dovecot.deliver(
    USER,
    'INBOX',
    messages.map((raw) => ({ raw })),
  )
  const other = await otherClient(dovecot.port, USER, passwordOf(USER))
  const postern = await startPostern(account('default', dovecot.port, USER))
  const uidvalidity = await uidvalidityOf(other, 'INBOX')
  const times = new Map<string, { ms: number; args: Arguments }>()
  return {
    dovecot,
    postern,
    other,
    // Dovecot numbers the messages of an empty mailbox from 1, in the order of their files.
    idAt: (index) => messageId('INBOX', uidvalidity, index + 1),
    call: async (tool, args = {}) => {
      const began = performance.now()
      const envelope = await postern.call(tool, args)
      const ms = Math.round(performance.now() - began)
      if (ms > (times.get(tool)?.ms ?? -1)) times.set(tool, { ms, args })
      return envelope
    },
    slowest: () => [...times].map(([tool, { ms, args }]) => `${tool} ${ms} ms (${JSON.stringify(args)})`).join('\n'),
    close: async () => {
      await postern.close()
      await other.close()
      await dovecot.stop()
    },
  }
}

/** All messages of INBOX as a search shows them, with snippets as long as they come. */
export async function listAll({ call }: Pick<Live, 'call'>): Promise<Listed[]> {
  const args = { account_id: 'default', mailbox: 'INBOX', limit: 50, include_snippet: true, snippet_max_chars: 500 }
  const listed: Listed[] = []
  let cursor: string | undefined
  do {
    const { data } = await call('imap_search_messages', { ...args, ...(cursor === undefined ? {} : { cursor }) })
    expect(data.issues).toEqual([])
    listed.push(...data.messages)
    cursor = data.next_cursor
  } while (cursor !== undefined)
  return listed
}

/** Does the work for every item, a few at a time. */
export async function severalAtOnce<T>(
  width: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const left = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of left) await work(item, index)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/**
 * The most memory that the process ever held, in MB; on an old Node the program is a child of its launcher. Pages of files are
 * left out: how many of Node's own are mapped is up to the system, and differs by tens of megabytes.
 */
export async function peakMemoryMb({ pid }: Pick<Postern, 'pid'>): Promise<number> {
  // Elsewhere nobody tells the peak; CI runs on Linux.
  if (process.platform !== 'linux') return 0
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const told = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
  const own = told('VmHWM') - told('RssFile')
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).match(/\d+/g) ?? []
  return Math.max(own, ...(await Promise.all(children.map((child) => peakMemoryMb({ pid: Number(child) })))))
}

/** What no mail may bring it to. */
export const MOST_MEMORY_MB = 350

/** Nothing went wrong that would not show in an answer: alive, within its memory, its record whole, stdout clean. */
export async function expectSound({ postern }: Pick<Live, 'postern'>): Promise<void> {
  expect((await postern.call('imap_list_accounts')).data.accounts).toHaveLength(1)
  expect(await peakMemoryMb(postern)).toBeLessThan(MOST_MEMORY_MB)
  expect(postern.output.stdout).not.toContain('NOT A MESSAGE')
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'audit', 'verify'], {
    env: surroundings({}, postern.dataDir),
  })
  expect(stdout).toMatch(/^ok: \d+ records in /)
}

/** Figures are for people: tests assert none of the times. */
export async function printFigures(title: string, { postern, slowest }: Live): Promise<void> {
  const memory = Math.round(await peakMemoryMb(postern))
  process.stderr.write(`${title}: peak memory ${memory} MB; slowest calls:\n${slowest()}\n`)
}
