/**
 * Our HTTP server around the tools and resources that the conformance tool asks for by name, as far as a tool set can
 * express them. Open to anyone on loopback, since that tool cannot send a token.
 */
import { z } from 'zod'
import { Failure } from '../../src/core/failure.ts'
import { serveOverHttp } from '../../src/surfaces/mcp/http.ts'
import { defineTool, type ResourceContents, type ToolSet } from '../../src/surfaces/tools/tool.ts'
import { caller, FakeGate, fakeParts } from './fake-set.ts'

const simpleText = defineTool({
  name: 'test_simple_text',
  title: 'Simple text',
  description: 'Answers with a text.',
  effect: 'read',
  input: z.strictObject({}),
  output: z.object({ text: z.string() }),
  action: () => ({ kind: 'list_accounts' }),
  render: () => ({ kind: 'json', value: { text: 'This is a simple text response for testing.' } }),
})

function contentsOf(uri: string): ResourceContents {
  if (uri === 'test://static-text')
    return { kind: 'contents', mimeType: 'text/plain', body: { text: 'A static text.' } }
  if (uri === 'test://static-binary') {
    return { kind: 'contents', mimeType: 'image/png', body: { blob: new Uint8Array([0x89, 0x50, 0x4e, 0x47]) } }
  }
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? []
  if (id === undefined) throw new Failure('not_found', 'there is no such resource')
  return { kind: 'contents', mimeType: 'application/json', body: { text: JSON.stringify({ id }) } }
}

const set: ToolSet = {
  name: 'conformance',
  folders: 'names',
  tools: [simpleText],
  resources: {
    templates: [
      { uriTemplate: 'test://template/{id}/data', name: 'data', title: 'Data', description: 'Data of one id.' },
    ],
    prepare(uri) {
      const contents = contentsOf(uri)
      return { action: { kind: 'list_accounts' }, render: () => contents }
    },
  },
  refuse: ({ message }) => ({ kind: 'error', code: -32002, message }),
}

const authenticate = async () => ({ kind: 'visitor', visitor: { caller, sets: [set] } }) as const
const service = await serveOverHttp({ ...fakeParts(new FakeGate()), authenticate }, { host: '127.0.0.1', port: 0 })
process.stdout.write(`${service.url}\n`)
