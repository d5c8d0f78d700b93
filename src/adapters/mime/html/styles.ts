/**
 * What sheets and style attributes say, taken apart once for all the pages and elements that repeat them.
 *
 * INVARIANT: what is remembered is bounded, is never changed, and keeps no page in memory.
 */
import { parseSheets } from '../css/data-sheet.ts'
import { type Declaration, parseDeclarations } from '../css/declaration.ts'
import { isRelevant, type Properties, resolveProperties, resolveVariables } from '../css/properties.ts'
import { remembered } from '../css/remembered.ts'
import type { Appearance } from './appearance.ts'

export const sheetsIn = remembered((css) => parseSheets(css), 16, 20_000)

/** The declarations of a style attribute that matter here. */
export const inlineDeclarations = remembered(
  (style): readonly Declaration[] => parseDeclarations(style).filter(({ name }) => isRelevant(name)),
  1000,
  500,
)

/** What the same declarations with the same hints, without variables, came to before. */
const RESOLVED = new WeakMap<readonly Declaration[], WeakMap<readonly Declaration[], Properties>>()

export function resolve(parent: Appearance, hints: readonly Declaration[], own: readonly Declaration[]) {
  const byHints = RESOLVED.get(own)
  const known = byHints?.get(hints)
  if (known !== undefined) return { variables: parent.variables, properties: known }
  const variables: Properties = resolveVariables(own, parent.variables)
  const all = [...hints, ...own]
  const properties = resolveProperties(all, variables)
  if (all.some(({ name, value }) => name.startsWith('--') || value.includes('var('))) return { variables, properties }
  if (byHints === undefined) RESOLVED.set(own, new WeakMap([[hints, properties]]))
  else byHints.set(hints, properties)
  return { variables, properties }
}
