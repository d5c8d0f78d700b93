/**
 * A policy with one account more, less or otherwise.
 *
 * INVARIANT: what is newly allowed to be sent is sent with a person's approval of the very letter. Rules on sending that a person
 * wrote are not loosened.
 */
import { isMap, type YAMLMap } from 'yaml'
import type { AccessPlan, FolderAccess } from '../../core/setup/preset.ts'
import type { AgentChange } from '../../core/setup/tree-change.ts'
import { childMap, commentAbove, documentOf, mapIn, textOf, type Yaml } from './document.ts'

const head = (name: string, program: string): string =>
  `# What agents with the policy "${name}" may see and do. Written by "${program} setup", and yours to change:
# "${program} check" says in plain words what it means, "${program} explain" why one message is or is not shown.
# How much of a message is shown: NONE COUNT METADATA ENVELOPE HEADERS BODY FULL. An exact path counts before
# patterns (*, **), and of these the longest that matches.
name: ${JSON.stringify(name)}
accounts: {}
`

const sending = (program: string): string =>
  ` Every letter waits until you have approved that very letter: "${program} outbox", "${program} approve".`
const NO_SENDING = ' Nothing is sent.'

export function withAccess(
  text: string | undefined,
  account: string,
  { policy, plan, sends }: AgentChange,
  file: string,
  program: string,
): string {
  if (plan === undefined && text !== undefined) return text
  const before = text ?? head(policy, program)
  const document = documentOf(before, file)
  const root = mapIn(document, file)
  if (plan !== undefined) {
    const accounts = childMap(root, 'accounts', file)
    if (accounts.items.length === 0) accounts.flow = false
    accounts.set(account, foldersOf(document, plan, accounts.flow === true))
  }
  if (sends) allowSending(document, root, text === undefined, program)
  else forbidSending(document, root)
  return textOf(document, before)
}

export function withoutAccess(text: string, account: string, file: string): string {
  const document = documentOf(text, file)
  const accounts = childMap(mapIn(document, file), 'accounts', file)
  return accounts.delete(account) ? textOf(document, text) : text
}

/** A policy of a person that says nothing asks about every letter already. */
function allowSending(document: Yaml, root: YAMLMap, isNew: boolean, program: string): void {
  const isForbidden = root.get('send') === false
  if (!isForbidden && !isNew) return
  put(document, root, 'send', { approval: 'always' }, sending(program))
  if (!root.has('approvals')) put(document, root, 'approvals', { require_digest: true })
}

function forbidSending(document: Yaml, root: YAMLMap): void {
  if (root.get('send') === false) return
  put(document, root, 'send', false, NO_SENDING)
  root.delete('approvals')
}

function put(document: Yaml, root: YAMLMap, key: string, value: unknown, comment?: string): void {
  const node = document.createNode(value)
  if (isMap(node)) node.flow = true
  root.delete(key)
  root.add(document.createPair(key, node))
  if (comment !== undefined) commentAbove(root, key, comment)
}

function foldersOf(document: Yaml, { folders }: AccessPlan, plain: boolean): unknown {
  const list = document.createNode(folders.map(folderFields))
  if (plain || !('items' in list)) return list
  for (const [index, item] of (list.items as unknown[]).entries()) {
    const why = folders[index]?.why ?? ''
    if (!isMap(item)) continue
    item.flow = true
    if (why !== '') item.commentBefore = ` ${why}`
  }
  return list
}

function folderFields({ path, level, capabilities }: FolderAccess): Readonly<Record<string, unknown>> {
  const mode = level === 'NONE' ? 'whitelist' : 'blacklist'
  return { path, mode, default: level, ...Object.fromEntries(capabilities.map((capability) => [capability, true])) }
}

/** The file of a policy is known by the name in it; a new one is called after it. */
export function policyFileOf(files: ReadonlyMap<string, string | undefined>, policy: string): string {
  for (const [file, text] of files) {
    if (!file.startsWith('policies/') || text === undefined) continue
    if (String(mapIn(documentOf(text, file), file).get('name')) === policy) return file
  }
  const fresh = `policies/${policy}.yaml`
  return files.has(fresh) ? `policies/${policy}-agent.yaml` : fresh
}
