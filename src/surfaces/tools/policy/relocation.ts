/** What `move` and `copy` have in common: one message or several of a folder, and how each of them ended. */
import { z } from 'zod'
import type { ActionOf } from '../../../core/action.ts'
import type { Outcome } from '../../../core/call/outcome.ts'
import { Failure } from '../../../core/failure.ts'
import type { RelocationEnding } from '../../../core/many.ts'
import { ANY_UIDVALIDITY } from '../../../core/message-id.ts'
import type { Issue, Relocation } from '../../../core/results.ts'
import type { Answer } from '../tool.ts'
import { failed, respond } from './answer.ts'
import { messageFrom, someFields, target } from './fields.ts'

export const relocationInput = z.strictObject({
  source: z.strictObject(someFields),
  target,
})

type Asked = z.output<typeof relocationInput>
type Operation = 'move' | 'copy'
type Relocating = ActionOf<'move_message' | 'copy_message' | 'relocate_many'>

export function relocating(operation: Operation, asked: Asked): Relocating {
  const { source, target: goal } = asked
  const to = { account: goal.account, mailbox: goal.folder }
  if ((source.uid === undefined) === (source.uids === undefined)) {
    throw new Failure('invalid_input', 'source must have either uid or uids')
  }
  if (source.uid !== undefined) {
    const kind = operation === 'move' ? 'move_message' : 'copy_message'
    return { kind, message: messageFrom({ ...source, uid: source.uid }), to, blind: true }
  }
  const { uidvalidity = ANY_UIDVALIDITY } = source
  const from = { account: source.account, mailbox: source.folder, uidvalidity }
  return { kind: 'relocate_many', operation, from, uids: [...new Set(source.uids)], to }
}

export function relocationAnswer(outcome: Outcome<Relocating['kind']>, asked: Asked): Answer {
  const { source, target: goal } = asked
  const echo = {
    account: source.account,
    folder: source.folder,
    ...(source.uid === undefined ? {} : { uid: source.uid }),
    source_folder: source.folder,
    target_account: goal.account,
    target_folder: goal.folder,
  }
  const said = outcome.kind === 'failed' ? codeOf(outcome.failure) : {}
  return respond(withoutAddress(outcome), { ...echo, ...said }, ({ result }) =>
    'endings' in result
      ? { uidvalidity: result.uidvalidity, results: result.endings.map(endingOf) }
      : relocationOf(result),
  )
}

function endingOf({ uid: number, denied, relocation }: RelocationEnding): Record<string, unknown> {
  if (relocation === undefined) return { uid: number, result: 'DENY', reason: denied }
  const { mechanism: _how, ...ending } = relocationOf(relocation)
  return { uid: number, ...ending }
}

/** Where a server stands is the operator's to know: an agent could only be misled by it. The log has it. */
function withoutAddress<K extends Relocating['kind']>(outcome: Outcome<K>): Outcome<K> {
  if (outcome.kind !== 'failed' || outcome.failure.stage !== 'connect') return outcome
  const { code, stage } = outcome.failure
  const message = `the source account's server ${NOT_REACHED[code] ?? UNREACHED}; nothing was started; ${nextStep(code)}`
  return { ...outcome, failure: new Failure(code, message, { cause: outcome.failure, stage }) }
}

const UNREACHED = 'could not be reached'
const NOT_REACHED: { readonly [K in Failure['code']]?: string } = {
  auth_failed: 'did not let us in',
  tls_failed: 'could not be reached safely',
}

function nextStep(code: string): string {
  return code in NOT_REACHED ? 'whoever runs this server has to look' : 'ask again later'
}

/** What a transfer says of itself names no address. */
function messageOf({ code, stage, message, transferError }: Issue): string {
  if (stage !== 'connect' || transferError !== undefined) return message
  return `the account's server ${NOT_REACHED[code as Failure['code']] ?? UNREACHED}; ${nextStep(code)}`
}

function codeOf({ responseCode }: { readonly responseCode?: string | undefined }): Record<string, unknown> {
  return responseCode === undefined ? {} : { response_code: responseCode }
}

function relocationOf({ issues, mechanism, txId }: Relocation): Record<string, unknown> {
  const how = { mechanism: mechanism ?? null, tx_id: txId ?? null }
  const [first] = issues
  if (first === undefined) return { result: 'OK', ...how }
  const { code, stage, transferError, responseCode } = first
  const error = failed(code as Parameters<typeof failed>[0], stage, messageOf(first))
  return { ...error, ...(transferError && { error_type: transferError }), ...codeOf({ responseCode }), ...how }
}
