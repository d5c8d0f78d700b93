/**
 * Which flags a caller may hang on a message.
 *
 * INVARIANT: no spelling reaches `\Seen`, `\Deleted`, `\Draft`, `\Answered` or `\Recent` through a tag.
 */

const FLAGGED = '\\flagged'

/** Of the names with a backslash only `\Flagged` is a tag; inside a longer text even that is none. */
export function forbiddenFlag(tag: string): boolean {
  return tag.includes('\\') && tag.toLowerCase() !== FLAGGED
}

/** A keyword, or `\Flagged`: what tags are made of, and what replacing them may take away. */
export function isTag(flag: string): boolean {
  return !forbiddenFlag(flag)
}

/** The flags after removing, then adding, each once, letter case aside. */
export function flagsAfter(
  flags: readonly string[],
  add: readonly string[],
  remove: readonly string[],
): readonly string[] {
  const gone = new Set(remove.map((flag) => flag.toLowerCase()))
  const after = new Map<string, string>()
  for (const flag of [...flags.filter((flag) => !gone.has(flag.toLowerCase())), ...add]) {
    const name = flag.toLowerCase()
    if (!after.has(name)) after.set(name, flag)
  }
  return [...after.values()]
}
