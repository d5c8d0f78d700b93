/** An installation of Postern somewhere else, talked to as a host would. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'

export const ROOT = join(import.meta.dirname, '../..')

export const run = promisify(execFile)

export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pkg-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Nothing of this machine but its programs. */
export function surroundings(home: string): Record<string, string> {
  const own = ['HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME', 'POSTERN_DATA_DIR']
  return { PATH: process.env['PATH'] ?? '', ...Object.fromEntries(own.map((name) => [name, home])) }
}

/** The names of the tools that a server offers, once it was asked something real. */
export async function toolsOf(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<string[]> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StdioClientTransport({ command, args: [...args], env, stderr: 'ignore' }))
  try {
    const { tools } = await client.listTools()
    return tools.map(({ name }) => name)
  } finally {
    await client.close()
  }
}
