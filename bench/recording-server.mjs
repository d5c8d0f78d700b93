/** The minimal server once more, with the least that a durable record takes: one line on disk before each answer. */
import { open } from 'node:fs/promises'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const LINE = `${'x'.repeat(499)}\n`
const record = await open(process.argv[2], 'a')

serveStdio(() => {
  const server = new McpServer({ name: 'recording', version: '1.0.0' })
  server.registerTool('noop', { description: 'Does nothing, on record' }, async () => {
    await record.appendFile(LINE)
    await record.datasync()
    return { content: [{ type: 'text', text: '{}' }] }
  })
  return server
})
