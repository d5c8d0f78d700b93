/** What `move` and `copy` have in common. */
import { z } from 'zod'
import type { Relocation } from '../../../core/results.ts'
import { failed } from './answer.ts'
import { type AskedMessage, source, target } from './fields.ts'

export const relocationInput = z.strictObject({ source, target })

interface Asked {
  readonly source: AskedMessage
  readonly target: { readonly account: string; readonly folder: string }
}

export function relocationEcho({ source: from, target: to }: Asked): Record<string, unknown> {
  return {
    account: from.account,
    folder: from.folder,
    uid: from.uid,
    source_folder: from.folder,
    target_account: to.account,
    target_folder: to.folder,
  }
}

export function relocationOf({ issues, mechanism }: Relocation): Record<string, unknown> {
  const how = { mechanism: mechanism ?? null, tx_id: null }
  const [first] = issues
  if (first === undefined) return { result: 'OK', ...how }
  return { ...failed(first.code as Parameters<typeof failed>[0], first.stage, first.message), ...how }
}
