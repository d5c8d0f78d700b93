import { expect, test } from 'vitest'
import { clientConfigs } from './client-config.ts'

const http = { url: 'http://127.0.0.1:8025/mcp', token: 'abc' }
const stdio = { command: '/usr/bin/node', args: ['bin/my postern.mjs', 'demo'], env: { A: "it's" } }
const texts = (configs: ReturnType<typeof clientConfigs>): Record<string, string> =>
  Object.fromEntries(configs.map(({ client, text }) => [client, text]))

test('over HTTP every client that can send a token gets the address and the token', () => {
  const shown = texts(clientConfigs({ http, stdio }))
  const headers = { Authorization: 'Bearer abc' }
  expect(shown['Claude Code']).toBe(
    "claude mcp add --transport http postern http://127.0.0.1:8025/mcp --header 'Authorization: Bearer abc'",
  )
  expect(JSON.parse(shown['Cursor'] ?? '')).toEqual({ mcpServers: { postern: { url: http.url, headers } } })
  expect(JSON.parse(shown['VS Code'] ?? '')).toEqual({ servers: { postern: { type: 'http', url: http.url, headers } } })
  expect(JSON.parse(shown['Claude Desktop'] ?? '')).toEqual({ mcpServers: { postern: stdio } })
})

test('over stdio every client gets the command, quoted for a shell where one reads it', () => {
  const shown = texts(clientConfigs({ stdio }))
  expect(shown['Claude Code']).toBe(
    `claude mcp add postern --env 'A=it'\\''s' -- /usr/bin/node 'bin/my postern.mjs' demo`,
  )
  expect(JSON.parse(shown['VS Code'] ?? '')).toEqual({ servers: { postern: { type: 'stdio', ...stdio } } })
})

test('a client that cannot be reached is left out', () => {
  expect(Object.keys(texts(clientConfigs({ http })))).toEqual(['Claude Code', 'Cursor', 'VS Code'])
})
