/** What the tools cost a model before it has asked anything. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { count } from './figures.ts'
import type { Section } from './report.ts'
import { inTemporaryFolder, postern } from './servers.ts'
import { StdioClient } from './stdio-client.ts'

interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: object
}

export async function listing(): Promise<Section> {
  const tools = await inTemporaryFolder(listedTools)
  const whole = JSON.stringify(tools)
  const shown = JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })))
  const largest = tools.reduce((worst, tool) => (tokensOf(tool) > tokensOf(worst) ? tool : worst))
  const row = (name: string, text: string): string[] => [name, count(countTokens(text)), count(Buffer.byteLength(text))]
  return {
    title: `The listing of ${tools.length} tools`,
    note: 'The tools of the tools/list answer as compact JSON, in tokens of o200k_base.',
    head: ['', 'tokens', 'bytes'],
    rows: [
      row('all that is listed', whole),
      row('names, descriptions and input schemas (what hosts show a model)', shown),
      row(`largest tool: ${largest.name}`, JSON.stringify(largest)),
    ],
    goals: [
      { what: 'tokens of the listing', measured: countTokens(whole), atMost: 3000, write: count },
      { what: 'tokens a tool', measured: countTokens(whole) / tools.length, atMost: 300, write: count },
    ],
  }
}

function tokensOf(tool: ListedTool): number {
  return countTokens(JSON.stringify(tool))
}

async function listedTools(home: string): Promise<ListedTool[]> {
  const client = new StdioClient(postern(home))
  try {
    await client.initialize()
    return ((await client.request('tools/list', {})) as { tools: ListedTool[] }).tools
  } finally {
    await client.stop()
  }
}
