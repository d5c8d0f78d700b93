/**
 * `send` and `approvals` of a policy: what may leave, and whose consent it takes.
 *
 * INVARIANT: where nothing is said, or what is said is wrong, a person is asked about every letter.
 */
import { type PendingLimit, SEND_DEFAULTS, type SendDefinition } from '../../core/policy/sending.ts'
import { sizeOf, sizeWords } from '../../core/policy/size.ts'
import type { Fields } from './fields.ts'
import type { Findings } from './problems.ts'
import { readTrusted } from './trusted.ts'

type Send = Pick<SendDefinition, 'approval' | 'trusted' | 'pendingLimit'>
type Approvals = Pick<SendDefinition, 'requireDigest' | 'elicitation'>

const APPROVALS = ['always', 'flow', 'never'] as const
const ALWAYS: Send = SEND_DEFAULTS

export const SEND_KEYS = ['approval', 'trusted', 'pending_limit']
export const APPROVAL_KEYS = ['require_digest', 'elicitation']

export function readSending(fields: Fields, findings: Findings): SendDefinition {
  const send = readSend(fields, findings)
  const approvals = readApprovals(fields)
  const isIdle = send.approval === 'forbidden' || send.approval === 'never'
  if (isIdle && fields.has('approvals')) {
    fields.warn('approvals', 'approvals has no effect where no person is asked: see send of this policy')
  }
  return { ...send, ...approvals }
}

function readSend(fields: Fields, findings: Findings): Send {
  const node = fields.value('send')
  if (node === undefined) return ALWAYS
  if (node.kind === 'scalar' && typeof node.value === 'boolean') {
    return node.value ? ALWAYS : { ...ALWAYS, approval: 'forbidden' }
  }
  if (node.kind === 'mapping') return readRules(fields.fields('send', 'send', SEND_KEYS), findings)
  const written = node.kind === 'scalar' ? node.value : undefined
  fields.problem('send', `send must be true or false, or a mapping; ${adviceOn(written)}`)
  return ALWAYS
}

/** `send: never` may mean that nothing is sent as well as that nobody is asked. */
function adviceOn(written: unknown): string {
  if (written === 'never') {
    return 'write send: false to send nothing, or send: { approval: never } to send without asking anybody'
  }
  const meant = APPROVALS.find((approval) => approval === written) ?? 'always'
  return `write send: { approval: ${meant} } instead`
}

function readRules(rules: Fields | undefined, findings: Findings): Send {
  if (rules === undefined) return ALWAYS
  const approval = rules.choice('approval', APPROVALS) ?? 'always'
  const trusted = readTrusted(rules, findings)
  if (approval === 'never') {
    rules.warn(
      'approval',
      'DANGER: approval: never sends whatever an agent writes, to whomever it names, and nobody is asked. One mail that ' +
        'misleads the agent is enough to give away all that it can read; write always or flow unless nothing here is secret',
    )
  }
  if (approval !== 'flow' && rules.has('trusted')) {
    rules.warn('trusted', 'trusted has no effect without approval: flow')
  }
  return { approval, trusted, pendingLimit: readPendingLimit(rules) }
}

function readApprovals(fields: Fields): Approvals {
  const approvals = fields.fields('approvals', 'approvals', APPROVAL_KEYS)
  const elicitation = approvals?.choice('elicitation', ['notify', 'sufficient']) ?? 'notify'
  if (elicitation === 'sufficient') {
    approvals?.warn(
      'elicitation',
      "elicitation: sufficient takes the word of the agent's own program for a person's; write notify unless a person, and " +
        'nobody else, answers there',
    )
  }
  const { requireDigest } = SEND_DEFAULTS
  return { requireDigest: approvals?.flag('require_digest', requireDigest) ?? requireDigest, elicitation }
}

export const PENDING_KEYS = ['messages', 'bytes']
const MOST_MESSAGES = 1000
const MOST_BYTES = 512 * 1024 * 1024

/** `pending_limit: 20`, or `{ messages: 20, bytes: 5 MB }`; what is left out is as usual. */
function readPendingLimit(rules: Fields): PendingLimit {
  const { pendingLimit: usual } = SEND_DEFAULTS
  const node = rules.value('pending_limit')
  if (node === undefined) return usual
  if (node.kind !== 'mapping') {
    return { ...usual, messages: rules.whole('pending_limit', 1, MOST_MESSAGES) ?? usual.messages }
  }
  const limit = rules.fields('pending_limit', 'pending_limit', PENDING_KEYS)
  return {
    messages: limit?.whole('messages', 1, MOST_MESSAGES) ?? usual.messages,
    bytes: (limit && readSize(limit, 'bytes')) ?? usual.bytes,
  }
}

function readSize(fields: Fields, key: string): number | undefined {
  const node = fields.value(key)
  if (node === undefined) return undefined
  const written = node.kind === 'scalar' ? node.value : undefined
  const bytes = typeof written === 'string' ? sizeOf(written) : written
  if (typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 1 && bytes <= MOST_BYTES) return bytes
  fields.problem(key, `${key} must be a size of at most ${sizeWords(MOST_BYTES)}; write one such as 20 MB instead`)
  return undefined
}
