/** callers.yaml with a caller for the agent. */
import { isMap, isSeq } from 'yaml'
import { type AgentChange, toolsetsFor } from '../../core/setup/tree-change.ts'
import { commentAbove, documentOf, itemNamed, listIn, mapIn, textOf } from './document.ts'

const FILE = 'callers.yaml'

const head = (program: string): string =>
  `# Who may ask Postern for mail, and by which policy. Written by "${program} setup", and yours to change.
# A client says who it is with IMAP_MCP_CALLER_ID; "${program} client add" puts that into its configuration.
`

/** Of a caller that is there already only what it cannot do without is changed. */
export function withCaller(text: string | undefined, { caller, policy, sends }: AgentChange, program: string): string {
  const before = text ?? `${head(program)}\ncallers: []\n`
  const document = documentOf(before, FILE)
  const list = listIn(mapIn(document, FILE), 'callers', FILE)
  const there = itemNamed(list, caller)
  if (there !== undefined) {
    const sets = there.get('toolsets')
    if (!sends || !isSeq(sets) || (sets.toJSON() as unknown[]).includes('outbox')) return before
    sets.add('outbox')
    return textOf(document, before)
  }
  if (list.items.length === 0) list.flow = false
  const auth = { type: 'stdio_trusted' }
  const map = document.createNode({ id: caller, policy, auth, toolsets: toolsetsFor(sends), hide_denied_tools: true })
  if (isMap(map)) {
    for (const key of ['auth', 'toolsets']) {
      const inner = map.get(key)
      if (isMap(inner) || isSeq(inner)) inner.flow = true
    }
    if (list.flow !== true) {
      commentAbove(
        map,
        'auth',
        ' Whoever can start Postern as you is trusted; over HTTP a caller needs a shared_token instead.',
      )
      commentAbove(map, 'hide_denied_tools', ' Tools that its policy can never allow are not even shown.')
    }
  }
  list.add(map)
  return textOf(document, before)
}
