/**
 * `send` and `approvals` of a policy: what may leave, and whose consent it takes.
 *
 * INVARIANT: where nothing is said, or what is said is wrong, a person is asked about every letter.
 */
import type { SendDefinition } from '../../core/policy/sending.ts'
import type { Fields } from './fields.ts'
import type { Findings } from './problems.ts'
import { readTrusted } from './trusted.ts'

type Send = Pick<SendDefinition, 'approval' | 'trusted'>
type Approvals = Pick<SendDefinition, 'requireDigest' | 'elicitation'>

const APPROVALS = ['always', 'flow', 'never'] as const
const ALWAYS: Send = { approval: 'always', trusted: [] }

export const SEND_KEYS = ['approval', 'trusted']
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
    return node.value ? ALWAYS : { approval: 'forbidden', trusted: [] }
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
  return { approval, trusted }
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
  return { requireDigest: approvals?.flag('require_digest', false) ?? false, elicitation }
}
