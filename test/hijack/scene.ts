/**
 * A configuration tree in front of a post office, and the built program between it and a hijacked agent.
 *
 * INVARIANT: everything that was said to any tool, and every answer, is in the ledger of its house. A house is a data directory:
 * what one has approved, sent or read, another knows nothing of.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, ProtocolError } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { writeTree } from '../config/trees.ts'
import { type Arguments, PROGRAM, surroundings, type Variables } from '../imap/postern.ts'
import type { Said } from './ledger.ts'
import type { PostOffice } from './post-office.ts'
import { CALLERS, type CallerName, POLICIES } from './tree.ts'

export interface AgentOptions {
  /** The tool sets of this process; `inbox` and `policy` do not go together. */
  readonly sets?: string
  readonly env?: Variables
}

/** The program that a hijacked agent runs in says yes to whatever it is asked. */
export interface Agent {
  readonly caller: CallerName
  readonly client: Client
  readonly pid: number
  /** What its program was shown for a person to answer, and answered yes to. */
  readonly asked: readonly string[]
  say(tool: string, args: Arguments): Promise<Said>
  read(uri: string): Promise<Said>
  /** Leaves as a program does that is well. */
  close(): Promise<void>
  /** kill -9 */
  kill(): Promise<void>
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface AuditLine {
  readonly tool: string
  readonly caller_id: string
  readonly result: string
}

export interface House {
  readonly office: PostOffice
  readonly directory: string
  readonly ledger: readonly Said[]
  agent(caller: CallerName, options?: AgentOptions): Promise<Agent>
  /** A command of the operator. */
  postern(...words: string[]): Promise<Ran>
  files(folder: string): Promise<readonly string[]>
  readFile(folder: string, file: string): Promise<string>
  writeFile(folder: string, file: string, text: string): Promise<void>
  /** A person moves a file. */
  move(file: string, from: string, to: string): Promise<void>
  records(): Promise<readonly AuditLine[]>
  close(): Promise<void>
}

export function openHouses(office: PostOffice): { house(): Promise<House>; close(): Promise<void> } {
  const tree = writeTree(treeFiles(office))
  const houses: House[] = []
  return {
    async house() {
      const made = await openHouse(office, tree)
      houses.push(made)
      return made
    },
    async close() {
      for (const house of houses) await house.close()
      await rm(tree, { recursive: true, force: true })
    },
  }
}

async function openHouse(office: PostOffice, tree: string): Promise<House> {
  const directory = await mkdtemp(join(tmpdir(), 'ph-'))
  const env = { POSTERN_CONFIG_DIR: tree, DEV_MODE: 'false', ...office.env }
  const vault = join(directory, 'vault')
  const ledger: Said[] = []
  const agents: Agent[] = []
  return {
    office,
    directory,
    ledger,
    async agent(caller, { sets = 'imap,policy,outbox', env: more = {} } = {}) {
      const all = surroundings({ ...env, IMAP_MCP_CALLER_ID: caller, ...more }, directory)
      const agent = await startAgent(caller, all, ['--toolsets', sets], ledger)
      agents.push(agent)
      return agent
    },
    postern: (...words) => run(words, surroundings(env, directory)),
    files: async (folder) => (await readdir(join(vault, folder)).catch(() => [])).toSorted(),
    readFile: (folder, file) => readFile(join(vault, folder, file), 'utf8'),
    writeFile: (folder, file, text) => writeFile(join(vault, folder, file), text, { mode: 0o600 }),
    move: (file, from, to) => rename(join(vault, from, file), join(vault, to, file)),
    records: () => recordsIn(join(directory, 'audit')),
    async close() {
      await Promise.allSettled(agents.map((agent) => agent.close()))
      await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function startAgent(
  caller: CallerName,
  env: Record<string, string>,
  words: readonly string[],
  ledger: Said[],
): Promise<Agent> {
  const args = [PROGRAM, ...words]
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' })
  const client = new Client({ name: 'hijacked', version: '1' }, { capabilities: { elicitation: {} } })
  const asked: string[] = []
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message)
    return { action: 'accept', content: { approve: true } }
  })
  await client.connect(transport)
  const pid = transport.pid ?? 0
  const noted = async (tool: string, given: Arguments, answer: Promise<Omit<Said, 'caller' | 'tool' | 'args'>>) => {
    const said: Said = { caller, tool, args: given, ...(await answer.catch(refusalIn)) }
    ledger.push(said)
    return said
  }
  return {
    caller,
    client,
    pid,
    asked,
    say: (tool, given) => noted(tool, given, called(client, tool, given)),
    read: (uri) => noted('resources/read', { uri }, resource(client, uri)),
    close: () => client.close(),
    async kill() {
      const ended = new Promise<void>((resolve) => {
        client.onclose = resolve
      })
      process.kill(pid, 'SIGKILL')
      await ended
    },
  }
}

async function called(client: Client, tool: string, given: Arguments): Promise<Answered> {
  const { content, isError = false, structuredContent } = await client.callTool({ name: tool, arguments: { ...given } })
  const text = content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join('\n')
  const { code, decision } = (structuredContent ?? {}) as { code?: string; decision?: string }
  return { text, isRefusal: isError || decision === 'DENY', code }
}

async function resource(client: Client, uri: string): Promise<Answered> {
  const { contents } = await client.readResource({ uri })
  return { text: JSON.stringify(contents), isRefusal: false, code: undefined }
}

type Answered = Pick<Said, 'text' | 'isRefusal' | 'code'>

function refusalIn(error: unknown): Answered {
  if (!(error instanceof ProtocolError)) throw error
  const { code } = (error.data ?? {}) as { code?: string }
  return {
    text: `${error.message} ${JSON.stringify(error.data ?? {})}`,
    isRefusal: true,
    code: code ?? 'invalid_input',
  }
}

function run(words: readonly string[], env: Record<string, string>): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    )
    child.stdin?.end()
  })
}

async function recordsIn(directory: string): Promise<readonly AuditLine[]> {
  const days = (await readdir(directory)).filter((name) => name.endsWith('.jsonl')).toSorted()
  const texts = await Promise.all(days.map((day) => readFile(join(directory, day), 'utf8')))
  return texts.flatMap((text) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line): AuditLine => JSON.parse(line)),
  )
}

/** JSON is YAML. */
function treeFiles({ accounts, secrets, users, folders }: PostOffice): Record<string, string> {
  const files: Record<string, string> = {
    'accounts.yaml': JSON.stringify({ accounts, secret_store: { backend: 'file_dir', path: 'secrets' } }),
    'callers.yaml': JSON.stringify({
      callers: Object.entries(CALLERS).map(([id, policy]) => ({ id, policy, auth: { type: 'stdio_trusted' } })),
    }),
  }
  for (const [name, policy] of Object.entries(POLICIES(users, folders))) {
    files[`policies/${name}.yaml`] = JSON.stringify({ name, ...policy })
  }
  for (const [ref, secret] of Object.entries(secrets)) files[`secrets/${ref}`] = secret
  return files
}
