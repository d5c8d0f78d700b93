/** A real mail server, a real SMTP server that keeps what it is given, and Postern between them and an agent. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect } from 'vitest'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { type OtherClient, otherClient } from '../dovecot/other-client.ts'
import { type Arguments, account, PROGRAM, passwordOf, surroundings, type Variables } from '../imap/postern.ts'
import { SINK_PASSWORD, SINK_USER, type Sink, startSink } from '../smtp/sink.ts'

export const ADA = 'ada'
export const ADDRESS = 'ada@example.org'

export interface Said {
  readonly text: string
  readonly isError: boolean
}

/** One agent, at one process of Postern. */
export interface Agent {
  readonly client: Client
  readonly pid: number
  say(tool: string, args: Arguments): Promise<Said>
  close(): Promise<void>
}

export interface Scene {
  readonly dovecot: Dovecot
  readonly sink: Sink
  /** Another mail program at Ada's mailbox. */
  readonly ada: OtherClient
  readonly directory: string
  readonly vault: string
  readonly env: Variables
  /** Starts another process of Postern on the same data. */
  agent(more?: Variables, ...words: string[]): Promise<Agent>
  /** Runs a command of the operator. */
  postern(...words: string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>
  /** The names of the files in a folder of the vault. */
  files(folder: string): Promise<readonly string[]>
  read(folder: string, file: string): Promise<string>
  /** A person moves a file from one folder to another. */
  move(file: string, from: string, to: string): Promise<void>
  close(): Promise<void>
}

export async function startScene(more: Variables = {}, smtpPort?: (sink: Sink) => number): Promise<Scene> {
  const [dovecot, sink] = await Promise.all([startDovecot({ users: { [ADA]: passwordOf(ADA) } }), startSink()])
  const directory = await mkdtemp(join(tmpdir(), 'po-'))
  const ada = await otherClient(dovecot.port, ADA, passwordOf(ADA))
  await ada.imap.mailboxCreate('Drafts')
  const env: Variables = {
    ...account('default', dovecot.port, ADA),
    MAIL_IMAP_DEFAULT_EMAIL: ADDRESS,
    MAIL_IMAP_DEFAULT_SMTP_HOST: '127.0.0.1',
    MAIL_IMAP_DEFAULT_SMTP_PORT: String(smtpPort?.(sink) ?? sink.port),
    MAIL_IMAP_DEFAULT_SMTP_SECURE: 'false',
    MAIL_IMAP_DEFAULT_SMTP_USER: SINK_USER,
    MAIL_IMAP_DEFAULT_SMTP_PASS: SINK_PASSWORD,
    MAIL_IMAP_WRITE_ENABLED: 'true',
    DEV_MODE: 'false',
    ...more,
  }
  const vault = join(directory, 'vault')
  const agents = new Set<Agent>()
  return {
    dovecot,
    sink,
    ada,
    directory,
    vault,
    env,
    async agent(others = {}, ...words) {
      const agent = await startAgent({ ...env, ...others }, directory, words)
      agents.add(agent)
      return agent
    },
    postern: (...words) => run(words, surroundings(env, directory)),
    files: async (folder) => (await readdir(join(vault, folder)).catch(() => [])).toSorted(),
    read: (folder, file) => readFile(join(vault, folder, file), 'utf8'),
    move: (file, from, to) => rename(join(vault, from, file), join(vault, to, file)),
    async close() {
      await Promise.allSettled([...agents].map((agent) => agent.close()))
      await Promise.allSettled([ada.close(), sink.close()])
      await dovecot.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function startAgent(env: Variables, directory: string, words: readonly string[]): Promise<Agent> {
  const args = [PROGRAM, ...words]
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: surroundings(env, directory),
    stderr: 'ignore',
  })
  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(transport)
  return {
    client,
    pid: transport.pid ?? 0,
    async say(tool, given) {
      const { content, isError = false } = await client.callTool({ name: tool, arguments: given })
      const [first] = content
      expect(first).toMatchObject({ type: 'text' })
      return { text: first?.type === 'text' ? first.text : '', isError }
    },
    close: () => client.close(),
  }
}

function run(
  words: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    )
    child.stdin?.end()
  })
}
