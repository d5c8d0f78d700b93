/** What changing tags means for the flags of a message: only keywords and `\Flagged` ever come or go. */
import type { TagMessageAction } from '../../core/action.ts'
import { type FlagChange, isTag } from '../../core/decision/flags.ts'

export function tagChange({ tags, mode }: TagMessageAction, flags: readonly string[]): FlagChange {
  if (mode === 'add') return { add: tags, remove: [] }
  if (mode === 'remove') return { add: [], remove: tags }
  const wanted = new Set(tags.map((tag) => tag.toLowerCase()))
  const present = new Set(flags.map((flag) => flag.toLowerCase()))
  return {
    add: tags.filter((tag) => !present.has(tag.toLowerCase())),
    remove: flags.filter((flag) => isTag(flag) && !wanted.has(flag.toLowerCase())),
  }
}
