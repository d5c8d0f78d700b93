/** The SDK's own HTTP handler with one tool that does nothing: what every MCP server over HTTP stands on. */
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'

const any = { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) } }
const handler = createMcpHandler(() => {
  const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/call', { params: any }, () => ({ content: [{ type: 'text', text: '{}' }] }))
  return server
})
const listener = getRequestListener((request) => handler.fetch(request), { overrideGlobalObjects: false })
const server = createServer((request, response) => void listener(request, response))
server.listen(0, '127.0.0.1', () => process.stderr.write(`serving at http://127.0.0.1:${server.address().port}/mcp\n`))
