/**
 * Copies, moves and removals as changes of labels.
 *
 * A message stands in every folder whose label it has, so that to copy is to add a label, to move is to swap two in one step,
 * and to remove one of several copies is to take its label away. Only the last one is deleted.
 *
 * INVARIANT: what Gmail would do otherwise than is meant (labels that it alone sets; Trash and Spam, which hide a message from
 * every other folder) is `unsupported` before anything is sent.
 */
import { Failure } from '../../core/failure.ts'
import { ALL_MAIL, type Folder } from './labels.ts'

export interface Relabelling {
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

const HIDING = new Set(['TRASH', 'SPAM'])
const BY_GMAIL_ALONE = new Set(['SENT', 'DRAFT'])

export function copying(from: Folder, to: Folder, labels: readonly string[]): Relabelling {
  mustBeFileable(to)
  if (labels.includes('DRAFT')) throw unsupported('a draft stands in Drafts alone; send it or move it to Trash')
  if (HIDING.has(to.id)) throw unsupported(`what is in ${to.name} is in no other folder; move it instead`)
  if (HIDING.has(from.id)) throw unsupported(`what is in ${from.name} is in no other folder; move it instead`)
  return to.id === ALL_MAIL ? NO_CHANGE : { add: [to.id], remove: [] }
}

export function moving(from: Folder, to: Folder, labels: readonly string[]): Relabelling {
  if (from.id === to.id) return NO_CHANGE
  mustBeFileable(to)
  const remove = from.id === ALL_MAIL || BY_GMAIL_ALONE.has(from.id) ? [] : [from.id]
  if (to.id === 'TRASH') return { add: ['TRASH'], remove }
  if (labels.includes('DRAFT')) throw unsupported('a draft stands in Drafts alone; send it or move it to Trash')
  if (from.id === 'SENT') throw unsupported('what was sent stays in Sent; copy it, or move it to Trash')
  return to.id === ALL_MAIL ? { add: [], remove } : { add: [to.id], remove }
}

const NO_CHANGE: Relabelling = { add: [], remove: [] }

function mustBeFileable({ id, name }: Folder): void {
  if (BY_GMAIL_ALONE.has(id)) throw unsupported(`Gmail alone puts messages into ${name}`)
}

function unsupported(message: string): Failure {
  return new Failure('unsupported', message)
}
