/** A machine of a new user: an empty home, a real Dovecot and a real SMTP server, and the built program. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { otherClient } from '../dovecot/other-client.ts'
import { PROGRAM } from '../imap/postern.ts'
import { letter } from '../mail-source/messages.ts'
import { SINK_PASSWORD, SINK_USER, type Sink, startSink } from '../smtp/sink.ts'

export const ADA = SINK_USER
export const BEN = 'ben@example.net'
export const PASSWORD = SINK_PASSWORD

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Scene {
  readonly dovecot: Dovecot
  readonly sink: Sink
  readonly home: string
  /** Where the tree of this user is. */
  readonly tree: string
  readonly passwordFile: string
  env(): Record<string, string>
  postern(words: readonly string[], input?: string): Promise<Ran>
  /** `postern setup --yes` for Ada's account, and what else is said. */
  setup(...words: string[]): Promise<Ran>
  read(file: string): Promise<string>
  /** Everything below the home directory, with the rights of each. */
  everything(): Promise<Record<string, string>>
  close(): Promise<void>
}

export async function startScene(): Promise<Scene> {
  const [dovecot, sink] = await Promise.all([
    startDovecot({ users: { [ADA]: PASSWORD, [BEN]: 'ben-secret' } }),
    startSink(),
  ])
  const ada = await otherClient(dovecot.port, ADA, PASSWORD)
  for (const folder of ['Drafts', 'Sent', 'Trash', 'Junk']) await ada.imap.mailboxCreate(folder)
  await ada.close()
  const subjects = ['first', 'second', 'third', 'café \u001b[31mred']
  const received = 1_700_000_000
  await dovecot.deliver(
    ADA,
    'INBOX',
    subjects.map((subject, index) => ({
      raw: letter({ subject, body: `body of ${index}` }),
      received: received + index,
    })),
  )
  const home = await mkdtemp(join(tmpdir(), 'ps-'))
  const outside = await mkdtemp(join(tmpdir(), 'pw-'))
  const passwordFile = join(outside, 'password')
  await writeFile(passwordFile, `${PASSWORD}\n`)
  const env = (): Record<string, string> => ({ PATH: process.env['PATH'] ?? '', HOME: home })
  const postern: Scene['postern'] = (words, input = '') =>
    new Promise((resolve) => {
      const child = execFile(process.execPath, [PROGRAM, ...words], { env: env() }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      )
      child.stdin?.end(input)
    })
  const tree = join(home, '.config', 'postern')
  return {
    dovecot,
    sink,
    home,
    tree,
    passwordFile,
    env,
    postern,
    setup: (...words) =>
      postern([
        'setup',
        '--yes',
        '--address',
        ADA,
        '--secrets',
        'file',
        '--imap-host',
        '127.0.0.1',
        '--imap-port',
        String(dovecot.port),
        '--password-file',
        passwordFile,
        ...words,
      ]),
    read: (file) => readFile(join(tree, file), 'utf8'),
    everything: () => everythingIn(home),
    async close() {
      await sink.close()
      await dovecot.stop()
      await rm(home, { recursive: true, force: true })
      await rm(outside, { recursive: true, force: true })
    },
  }
}

/** Starts what a client's file says, as that client would. */
export async function startClient(home: string, file: string, key: string): Promise<Client> {
  const { command, args, env: own } = JSON.parse(await readFile(join(home, file), 'utf8'))[key].postern
  const env = { HOME: home, ...own }
  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }))
  return client
}

export async function textOf(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args })
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}

export async function everythingIn(directory: string): Promise<Record<string, string>> {
  const names = await readdir(directory, { recursive: true })
  const entries = await Promise.all(
    names.toSorted().map(async (name) => {
      const found = await stat(join(directory, name))
      const mode = (found.mode & 0o777).toString(8)
      return [name, found.isDirectory() ? mode : `${mode} ${await readFile(join(directory, name), 'utf8')}`] as const
    }),
  )
  return Object.fromEntries(entries)
}
