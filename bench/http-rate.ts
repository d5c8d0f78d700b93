/**
 * Calls per second over HTTP: Postern (token, policy, record on disk) beside the SDK's bare handler, which does nothing.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { count, median, times } from './figures.ts'
import type { Section } from './report.ts'
import { inTemporaryFolder, ROOT } from './servers.ts'

const ROUNDS = 16
const ROUND_MS = 250
const IN_FLIGHT = 16
const TOKEN = 'a-token-of-the-bench-only'
/** Tokens are looked up by digest, so their number costs nothing. */
const MANY_CALLERS = 5000

interface Side {
  readonly name: string
  readonly child: ChildProcess
  readonly url: string
  readonly tool: string
  readonly headers: Readonly<Record<string, string>>
  readonly rates: number[]
}

export async function httpRate(): Promise<Section> {
  return inTemporaryFolder(async (home) => {
    const bare = await start('SDK handler alone', [join(import.meta.dirname, 'bare-http.mjs')], {}, 'noop', {})
    const ours = await startPostern(join(home, 'one'), 1)
    const crowd = await startPostern(join(home, 'many'), MANY_CALLERS)
    const sides = [bare, ours, crowd]
    try {
      for (let round = -3; round < ROUNDS; round += 1) {
        for (const side of sides) {
          const rate = await measure(side)
          if (round >= 0) side.rates.push(rate)
        }
      }
    } finally {
      for (const { child } of sides) child.kill('SIGKILL')
    }
    const [floor, rate, crowded] = [median(bare.rates), median(ours.rates), median(crowd.rates)]
    return {
      title: `Calls per second over HTTP, ${IN_FLIGHT} in flight`,
      note: `Medians of ${ROUNDS} interleaved rounds on open connections: a no-op of the bare handler, get_caller_identity of Postern (token checked, decided, recorded, synced).`,
      head: ['', 'calls a second', 'share of the bare handler'],
      rows: [
        [bare.name, count(floor), ''],
        [ours.name, count(rate), `${Math.round((100 * rate) / floor)} %`],
        [crowd.name, count(crowded), `${Math.round((100 * crowded) / floor)} %`],
      ],
      goals: [
        { what: "a call's cost over HTTP / the bare handler's", measured: floor / rate, atMost: 1 / 0.6, write: times },
        {
          what: `a call's cost with ${count(MANY_CALLERS)} callers / with one`,
          measured: rate / crowded,
          atMost: 1.25,
          write: times,
        },
      ],
    }
  })
}

/** The caller that is measured is the last of so many. */
function startPostern(home: string, callers: number): Promise<Side> {
  const tree = join(home, 'tree')
  mkdirSync(join(tree, 'policies'), { recursive: true })
  mkdirSync(join(tree, 'secrets', 'callers'), { recursive: true, mode: 0o700 })
  writeFileSync(
    join(tree, 'accounts.yaml'),
    'accounts:\n  - { id: default, provider: local }\nsecret_store: { backend: file_dir, path: secrets }\n',
  )
  const ids = Array.from({ length: callers }, (_, i) => `bench-${i}`)
  const lines = ids.map(
    (id) =>
      `  - { id: ${id}, policy: bench, auth: { type: shared_token, token_secret_ref: "secret://callers/${id}" } }\n`,
  )
  writeFileSync(join(tree, 'callers.yaml'), `callers:\n${lines.join('')}`)
  for (const [i, id] of ids.entries()) {
    const token = i === callers - 1 ? TOKEN : `${TOKEN}-${i}`
    writeFileSync(join(tree, 'secrets', 'callers', id), token, { mode: 0o600 })
  }
  writeFileSync(
    join(tree, 'policies', 'bench.yaml'),
    'name: bench\naccounts:\n  default:\n    - { path: INBOX, mode: blacklist, default: FULL }\n',
  )
  const args = [join(ROOT, 'bin', 'postern.mjs'), '--transport', 'http', '--port', '0', '--config', tree]
  const env = { HOME: home, POSTERN_DATA_DIR: home }
  return start(`Postern, ${count(callers)} caller${callers === 1 ? '' : 's'}`, args, env, 'get_caller_identity', {
    Authorization: `Bearer ${TOKEN}`,
  })
}

async function start(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  tool: string,
  headers: Readonly<Record<string, string>>,
): Promise<Side> {
  const options = { env: { PATH: process.env['PATH'] ?? '', ...env }, stdio: ['ignore', 'ignore', 'pipe'] as const }
  const child = spawn(process.execPath, args, { ...options, stdio: [...options.stdio] })
  let said = ''
  for (;;) {
    const [chunk] = (await once(child.stderr ?? child, 'data')) as [Buffer]
    said += chunk.toString()
    const url = /http:\/\/\S+\/mcp/.exec(said)?.[0]
    if (url !== undefined) return { name, child, url, tool, headers, rates: [] }
  }
}

async function measure({ url, tool, headers }: Side): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT })
  const began = performance.now()
  let calls = 0
  const caller = async (): Promise<void> => {
    while (performance.now() - began < ROUND_MS) {
      await call(url, tool, headers, agent)
      calls += 1
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller))
  agent.destroy()
  return calls / ((performance.now() - began) / 1000)
}

function call(url: string, tool: string, headers: Readonly<Record<string, string>>, agent: Agent): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } })
  const all = {
    ...headers,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2025-06-18',
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: all, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () =>
        text.includes('"result"') ? resolve() : reject(new Error(`${response.statusCode} ${text.slice(0, 200)}`)),
      )
    })
    sent.once('error', reject)
    sent.end(body)
  })
}
