/**
 * The built program, started as a host would start it, with a real MCP client at its stdio.
 *
 * INVARIANT: every answer that passes through here is checked for what holds of all of them: the text block is the
 * structured content, an envelope has its three fields, an error its code, its data and its timing; nothing but
 * messages comes out of stdout.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, ProtocolError } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect } from 'vitest'
import type { Envelope, Refusal } from './answers.ts'
import { expectNoSecret } from './secret-forms.ts'

export const PROGRAM = join(import.meta.dirname, '../../bin/postern.mjs')

export type Arguments = Readonly<Record<string, unknown>>
export type Variables = Readonly<Record<string, string>>

export interface Postern {
  readonly client: Client
  readonly dataDir: string
  readonly pid: number
  /** Everything that came out of the process so far. */
  readonly output: { stdout: string; stderr: string }
  /** The envelope of a call that must be answered with one. */
  call(tool: string, args?: Arguments): Promise<Envelope>
  /** The error of a call that must be refused. */
  refusal(tool: string, args?: Arguments): Promise<Refusal>
  /** Either of them: for calls of which only that they are answered is known. */
  attempt(tool: string, args?: Arguments): Promise<Envelope | Refusal>
  /** Ends the process; its data directory goes too, unless it was given. */
  close(): Promise<void>
}

export async function startPostern(env: Variables, givenDir?: string): Promise<Postern> {
  const dataDir = givenDir ?? (await mkdtemp(join(tmpdir(), 'pe-')))
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM],
    env: surroundings(env, dataDir),
    stderr: 'pipe',
    maxBufferSize: 50_000_000,
  })
  const output = record(transport)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(watched(transport, output))
  return {
    client,
    dataDir,
    pid: transport.pid ?? 0,
    output,
    call: (tool, args) => callTool(client, tool, args),
    refusal: (tool, args) => refusalOf(callTool(client, tool, args)),
    attempt: (tool, args) => {
      const answer = callTool(client, tool, args)
      return answer.catch(() => refusalOf(answer))
    },
    close: async () => {
      await client.close()
      await expectNoSecret(env, output, dataDir)
      if (givenDir === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Nothing of the machine that the test runs on shines through, and the log tells all it can. */
export function surroundings(env: Variables, dataDir: string): Record<string, string> {
  const own = ['HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'POSTERN_DATA_DIR']
  return { ...Object.fromEntries(own.map((name) => [name, dataDir])), POSTERN_DEBUG: '1', ...env }
}

/** The variables of one account. Passwords in tests are the user's name backwards unless they say otherwise. */
export function account(name: string, port: number, user: string, pass = passwordOf(user)): Variables {
  const prefix = `MAIL_IMAP_${name.toUpperCase()}`
  return {
    [`${prefix}_HOST`]: '127.0.0.1',
    [`${prefix}_PORT`]: String(port),
    [`${prefix}_SECURE`]: 'false',
    [`${prefix}_USER`]: user,
    [`${prefix}_PASS`]: pass,
  }
}

export function passwordOf(user: string): string {
  return `${[...user].reverse().join('')}-secret`
}

export const WRITABLE: Variables = { MAIL_IMAP_WRITE_ENABLED: 'true' }

function record(transport: StdioClientTransport): Postern['output'] {
  const output = { stdout: '', stderr: '' }
  transport.stderr?.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString()
  })
  return output
}

/** The client sets its own handlers when it connects: ours come before them. */
function watched(transport: StdioClientTransport, output: Postern['output']): StdioClientTransport {
  const start = transport.start.bind(transport)
  transport.start = () => {
    const { onmessage, onerror } = transport
    transport.onmessage = (message) => {
      output.stdout += `${JSON.stringify(message)}\n`
      onmessage?.(message)
    }
    transport.onerror = (error) => {
      output.stdout += `NOT A MESSAGE: ${error.message}\n`
      onerror?.(error)
    }
    return start()
  }
  return transport
}

export async function callTool(client: Client, tool: string, args: Arguments = {}): Promise<Envelope> {
  const result = await client.callTool({ name: tool, arguments: { ...args } })
  const [block, ...more] = result.content
  if (block?.type !== 'text') throw new Error('the answer has no text block')
  const envelope: Envelope = JSON.parse(block.text)
  expect(more).toEqual([])
  expect(result.isError ?? false).toBe(envelope.data.status === 'failed')
  expect(result.structuredContent).toEqual(envelope)
  expect(Object.keys(envelope)).toEqual(['summary', 'data', 'meta'])
  expect(envelope.summary).toMatch(/^\S[^\r\n]*\S$/)
  expectMeta(envelope.meta)
  expectData(envelope.data)
  return envelope
}

/** Which JSON-RPC code belongs to which of ours. */
const RPC_CODES: Readonly<Record<string, number>> = {
  invalid_input: -32602,
  not_found: -32002,
  auth_failed: -32600,
  timeout: -32603,
  conflict: -32600,
  internal: -32603,
}

export async function refusalOf(answer: Promise<unknown>): Promise<Refusal> {
  const error = await answer.then(
    (result) => {
      throw new Error(`answered instead of refused: ${JSON.stringify(result)}`)
    },
    (reason: unknown) => reason,
  )
  if (!(error instanceof ProtocolError)) throw error
  const { code, message } = error
  const data: Refusal['data'] = JSON.parse(JSON.stringify(error.data ?? {}))
  expect({ code, data }).toMatchObject({ code: RPC_CODES[data.code] })
  expect(Object.keys(data).filter((key) => key !== 'details')).toEqual(['code', 'meta'])
  expect(message).toMatch(/^\S[^\r\n]*\S$/)
  expectMeta(data.meta)
  return { code, message, data }
}

/** What holds of every answer that has these fields. */
function expectData({ status, issues, next_action }: Envelope['data']): void {
  if (status !== undefined) expect(status === 'ok').toBe(issues.length === 0)
  for (const issue of issues ?? []) {
    const words = { code: expect.any(String), stage: expect.any(String), message: expect.any(String) }
    expect(issue).toMatchObject({ ...words, retryable: expect.any(Boolean) })
  }
  if (status === 'failed' || next_action !== undefined) {
    const call = { tool: expect.stringMatching(/^imap_/), arguments: expect.any(Object) }
    expect(next_action).toEqual({ instruction: expect.any(String), ...call })
  }
}

function expectMeta(meta: Envelope['meta']): void {
  expect(Object.keys(meta)).toEqual(['now_utc', 'duration_ms'])
  expect(new Date(meta.now_utc).toISOString()).toBe(meta.now_utc)
  expect(Number.isInteger(meta.duration_ms) && meta.duration_ms >= 0).toBe(true)
}
