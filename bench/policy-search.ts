/**
 * What rules cost: `search` and `folder_stats` over a large folder of a real Dovecot, by a caller with twenty rules beside
 * a caller whose policy has none, in one process.
 *
 * INVARIANT: a time counts only where both callers count the same messages in all.
 */
import { strictEqual } from 'node:assert'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startDovecot } from '../test/dovecot/dovecot.ts'
import type { Delivery } from '../test/dovecot/maildir.ts'
import { count, median, megabytes, ms, times } from './figures.ts'
import { residentBytes } from './memory.ts'
import type { Section } from './report.ts'
import { inTemporaryFolder, ROOT } from './servers.ts'
import { StdioClient } from './stdio-client.ts'

const MESSAGES = 10_000
const RULES = 20
const SENDERS = 40
const ROUNDS = 30
const USER = 'reader'
const PASSWORD = 'bench'
const FIRST = Date.parse('2025-01-01T08:00:00Z') / 1000

const WORK = {
  'search, all': ['search', { criteria: {} }],
  'search, one sender': ['search', { criteria: { from_domain: 'sender3.example' } }],
  folder_stats: ['folder_stats', {}],
} as const

type Work = keyof typeof WORK

interface Side {
  readonly client: StdioClient
  readonly first: Record<Work, number>
  readonly samples: Record<Work, number[]>
}

export async function policySearch(): Promise<Section> {
  return inTemporaryFolder(async (home) => {
    const dovecot = await startDovecot({ users: { [USER]: PASSWORD } })
    try {
      await dovecot.deliver(USER, 'INBOX', mailbox())
      const tree = writeTree(home, dovecot.port)
      const plain = side(tree, home, 'plain')
      const ruled = side(tree, home, 'ruled')
      try {
        for (const { client } of [plain, ruled]) await client.initialize()
        return await measure(plain, ruled)
      } finally {
        await Promise.all([plain.client.stop(), ruled.client.stop()])
      }
    } finally {
      await dovecot.stop()
    }
  })
}

async function measure(plain: Side, ruled: Side): Promise<Section> {
  for (const name of Object.keys(WORK) as Work[]) {
    const [one, other] = [await timed(plain, name), await timed(ruled, name)]
    strictEqual(totalOf(other.answer), totalOf(one.answer))
    plain.first[name] = one.took
    ruled.first[name] = other.took
  }
  for (let round = -2; round < ROUNDS; round += 1) {
    for (const name of Object.keys(WORK) as Work[]) {
      for (const each of [plain, ruled]) {
        const { took } = await timed(each, name)
        if (round >= 0) each.samples[name].push(took)
      }
    }
  }
  const names = Object.keys(WORK) as Work[]
  const ratio = (name: Work): number => median(ruled.samples[name]) / median(plain.samples[name])
  return {
    title: `What ${RULES} rules cost over ${count(MESSAGES)} messages on Dovecot`,
    note: `Medians of ${ROUNDS} interleaved rounds after the first call, which fetches the facts of the folder once (told apart). Half of the messages match a rule. Memory of the process with rules afterwards: ${megabytes(residentBytes(ruled.client.pid))}.`,
    head: ['', 'without rules', 'with rules', 'ratio', 'first call: without', 'with'],
    rows: names.map((name) => [
      name,
      ms(median(plain.samples[name])),
      ms(median(ruled.samples[name])),
      times(ratio(name)),
      ms(plain.first[name]),
      ms(ruled.first[name]),
    ]),
    goals: names.map((name) => ({
      what: `${name}: with / without rules`,
      measured: ratio(name),
      atMost: 1.5,
      write: times,
    })),
  }
}

async function timed({ client }: Side, name: Work): Promise<{ took: number; answer: unknown }> {
  const [tool, more] = WORK[name]
  const began = performance.now()
  const answer = await client.call(tool, { account: 'work', folder: 'INBOX', ...more })
  return { took: performance.now() - began, answer }
}

/** All messages that were counted, seen or not. */
function totalOf(answer: unknown): number {
  const { structuredContent: told } = answer as { structuredContent: Record<string, number> }
  return told['matched_total'] ?? (told['visible_count'] ?? 0) + (told['hidden_count'] ?? 0)
}

function side(tree: string, home: string, caller: string): Side {
  const directory = join(home, caller)
  mkdirSync(directory)
  const client = new StdioClient({
    args: [join(ROOT, 'bin', 'postern.mjs'), '--config', tree],
    env: { PATH: process.env['PATH'] ?? '', HOME: directory, POSTERN_DATA_DIR: directory, IMAP_MCP_CALLER_ID: caller },
  })
  const empty = (): Record<Work, number[]> => ({ 'search, all': [], 'search, one sender': [], folder_stats: [] })
  return { client, first: { 'search, all': 0, 'search, one sender': 0, folder_stats: 0 }, samples: empty() }
}

function writeTree(home: string, port: number): string {
  const tree = join(home, 'tree')
  mkdirSync(join(tree, 'policies'), { recursive: true })
  mkdirSync(join(tree, 'secrets'), { mode: 0o700 })
  writeFileSync(join(tree, 'secrets', 'work'), PASSWORD, { mode: 0o600 })
  const account = `{ id: work, user: ${USER}, host: 127.0.0.1, port: ${port}, auth: { type: password, secret_ref: "secret://work" } }`
  const write = (file: string, text: string): void => writeFileSync(join(tree, file), text)
  write('accounts.yaml', `accounts:\n  - ${account}\nsecret_store: { backend: file_dir, path: secrets }\n`)
  const caller = (id: string): string => `  - { id: ${id}, policy: ${id}, auth: { type: stdio_trusted } }\n`
  write('callers.yaml', `callers:\n${caller('plain')}${caller('ruled')}`)
  const folder = (more: string): string => `accounts:\n  work:\n    - { path: INBOX, ${more} }\n`
  write('policies/plain.yaml', `name: plain\n${folder('mode: blacklist, default: FULL')}`)
  const rules = Array.from(
    { length: RULES },
    (_, index) => `{ match: { from_domain: sender${index}.example }, grant: FULL }`,
  )
  write('policies/ruled.yaml', `name: ruled\n${folder(`mode: whitelist, default: NONE, rules: [${rules.join(', ')}]`)}`)
  return tree
}

function mailbox(): Delivery[] {
  return Array.from({ length: MESSAGES }, (_, index) => ({
    raw: [
      `From: Sender <someone@sender${index % SENDERS}.example>`,
      'To: Reader <reader@example.net>',
      `Subject: Letter ${index}`,
      `Message-ID: <bench-${index}@example.org>`,
      '',
      `A letter that says nothing in particular, ${index}.`,
      '',
    ].join('\r\n'),
    received: FIRST + index * 600,
    seen: index % 3 !== 0,
  }))
}
