/** callers.yaml: who may connect, how they prove it, and which policy is theirs. */
import type { UncertainChoice } from '../../core/content.ts'
import { type Fields, fieldsOf } from './fields.ts'
import { isName, readName } from './names.ts'
import type { Node } from './node.ts'
import type { Findings, Place } from './problems.ts'
import { readSecretRef } from './secret-ref.ts'
import { readToolsets } from './toolsets.ts'
import type { CallerLimits, TreeCaller } from './tree.ts'

export interface ReadCaller {
  readonly caller: TreeCaller
  readonly at: Place
  readonly policyAt: Place
  readonly authAt: Place
  readonly toolsetsAt: Place
}

export const CALLER_KEYS = ['id', 'policy', 'auth', 'toolsets', 'limits', 'hide_denied_tools', 'content']
export const CONTENT_KEYS = ['uncertain']
const MOST_CALLS = 1_000_000

export function readCallersFile(root: Node, findings: Findings): ReadCaller[] | undefined {
  const fields = fieldsOf(root, 'callers.yaml', ['callers'], findings)
  if (fields === undefined) return undefined
  fields.require('callers')
  const items = fields.items('callers')
  if (items?.length === 0) fields.problem('callers', 'there is no caller, so nobody could connect; write at least one')
  return items?.flatMap((node) => readCaller(node, findings) ?? [])
}

function readCaller(node: Node, findings: Findings): ReadCaller | undefined {
  const fields = fieldsOf(node, 'a caller', CALLER_KEYS, findings)
  if (fields === undefined) return undefined
  fields.require('id', 'policy', 'auth')
  const id = readName(fields, 'id')
  const caller: TreeCaller = {
    id,
    policy: fields.text('policy') ?? '',
    auth: readAuth(fields, id),
    toolsets: readToolsets(fields, findings),
    limits: readLimits(fields),
    hideDeniedTools: fields.flag('hide_denied_tools', false),
    uncertain: readUncertain(fields),
  }
  return {
    caller,
    at: fields.place('id'),
    policyAt: fields.place('policy'),
    authAt: fields.place('auth'),
    toolsetsAt: fields.place('toolsets'),
  }
}

function readAuth(fields: Fields, id: string): TreeCaller['auth'] {
  const auth = fields.fields('auth', "a caller's auth", ['type', 'token_secret_ref'])
  auth?.require('type')
  const type = auth?.choice('type', ['stdio_trusted', 'shared_token'])
  if (type === 'shared_token') auth?.require('token_secret_ref')
  const example = `secret://callers/${isName(id) ? id : 'agent'}/token`
  const ref = auth && readSecretRef(auth, 'token_secret_ref', example)
  if (type === 'stdio_trusted' && auth?.has('token_secret_ref')) {
    auth.problem(
      'token_secret_ref',
      'a stdio_trusted caller has no token; write type: shared_token instead, or leave it out',
    )
  }
  return type === 'shared_token' ? { type, secretRef: ref ?? '' } : { type: 'stdio_trusted' }
}

function readLimits(fields: Fields): CallerLimits | undefined {
  const limits = fields.fields('limits', "a caller's limits", ['per_minute', 'per_hour'])
  if (limits === undefined) return undefined
  const perMinute = limits.whole('per_minute', 1, MOST_CALLS)
  const perHour = limits.whole('per_hour', 1, MOST_CALLS)
  return { ...(perMinute !== undefined && { perMinute }), ...(perHour !== undefined && { perHour }) }
}

/** What it is given of text that a person may not see. */
function readUncertain(fields: Fields): UncertainChoice {
  const content = fields.fields('content', "a caller's content", CONTENT_KEYS)
  return content?.choice('uncertain', ['mark', 'omit']) ?? 'mark'
}
