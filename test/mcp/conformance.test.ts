/** The protocol's own conformance tool against our HTTP server. What we do not do, and why, is in the baseline. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { RawProcess, script } from './raw-process.ts'

const TOOL = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')
const server = new RawProcess([script('conformance-server.ts')])
afterAll(() => server.kill())

async function runTool(directory: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [TOOL, ...args], { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

test('the server conforms, but for what the baseline lists', async () => {
  await server.until((output) => output.endsWith('\n'))
  const directory = await mkdtemp(join(tmpdir(), 'postern-conformance-'))
  try {
    const baseline = script('conformance-baseline.yml')
    const url = server.output.trim()
    const { code, output } = await runTool(
      directory,
      'server',
      '--url',
      url,
      '--suite',
      'all',
      '--expected-failures',
      baseline,
    )
    expect(code, output).toBe(0)
    expect(output).toMatch(/✓ server-initialize: 1 passed/)
    expect(output).toMatch(/✓ dns-rebinding-protection: 2 passed/)
  } finally {
    await rm(directory, { recursive: true })
  }
})
