/** The least an MCP server can be on the SDK that Postern uses: unbundled, one tool, nothing behind it. */
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

serveStdio(() => {
  const server = new McpServer({ name: 'minimal', version: '1.0.0' })
  server.registerTool('noop', { description: 'Does nothing' }, () => ({ content: [{ type: 'text', text: '{}' }] }))
  return server
})
