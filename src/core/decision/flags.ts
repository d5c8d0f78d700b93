/**
 * Which flags a caller may hang on a message.
 *
 * INVARIANT: no spelling reaches `\Seen`, `\Deleted`, `\Draft`, `\Answered` or `\Recent` through a tag.
 */

const FLAGGED = '\\flagged'

export interface FlagChange {
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** RFC 3501 §2.3.2, by their names without the backslash. */
const SYSTEM_FLAGS: ReadonlyMap<string, string> = new Map(
  ['Seen', 'Answered', 'Flagged', 'Deleted', 'Draft', 'Recent'].map((name) => [name.toLowerCase(), `\\${name}`]),
)

/**
 * The system flag that a name means, in its usual spelling: `\seen`, `Seen` and `SEEN` are `\Seen`. Agents often lose the
 * backslash in JSON, and a keyword of the same name would look like the flag without being it.
 */
export function systemFlagNamed(name: string): string | undefined {
  return SYSTEM_FLAGS.get(name.replace(/^\\/, '').toLowerCase())
}

/** Of the system flags only `\Flagged` is a tag, with or without its backslash; inside a longer text even that is none. */
export function forbiddenFlag(tag: string): boolean {
  const system = systemFlagNamed(tag)
  return system === undefined ? tag.includes('\\') : system.toLowerCase() !== FLAGGED
}

/** A keyword of a message, or `\Flagged`: what tags are made of, and what replacing them may take away. */
export function isTag(flag: string): boolean {
  return !flag.includes('\\') || flag.toLowerCase() === FLAGGED
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

/** Labels that people know under another name than IMAP does. `UNREAD` is one that is there when its flag is not. */
const NAMED_FLAGS: ReadonlyMap<string, string> = new Map([
  ['STARRED', '\\Flagged'],
  ['IMPORTANT', '$Important'],
])
const UNREAD = 'UNREAD'
const SEEN = '\\Seen'

/** The name under which a label is known, whatever its letter case and the blanks around it. */
export function knownLabel(label: string): string | undefined {
  const written = label.trim()
  // Some letters beyond ASCII have capitals within it: those are other names.
  const name = /^[A-Za-z]+$/.test(written) ? written.toUpperCase() : ''
  return name === UNREAD || NAMED_FLAGS.has(name) ? name : undefined
}

/** What a change of labels means for flags: `UNREAD` is the absence of `\Seen`, and what has no other name is a keyword. */
export function labelFlags({ add, remove }: FlagChange): FlagChange {
  return {
    add: [...flagsNamed(add), ...(remove.some(isUnread) ? [SEEN] : [])],
    remove: [...flagsNamed(remove), ...(add.some(isUnread) ? [SEEN] : [])],
  }
}

/** The labels that a message with these flags has; of the flags with a backslash only those that are labels. */
export function labelsOf(flags: readonly string[]): readonly string[] {
  const lower = flags.map((flag) => flag.toLowerCase())
  const named = [...NAMED_FLAGS].filter(([, flag]) => lower.includes(flag.toLowerCase())).map(([label]) => label)
  const keywords = flags.filter((flag) => !flag.startsWith('\\') && flag.toLowerCase() !== '$important')
  return [...(lower.includes(SEEN.toLowerCase()) ? [] : [UNREAD]), ...named, ...keywords]
}

function flagsNamed(labels: readonly string[]): string[] {
  return labels.filter((label) => !isUnread(label)).map((label) => NAMED_FLAGS.get(knownLabel(label) ?? '') ?? label)
}

function isUnread(label: string): boolean {
  return knownLabel(label) === UNREAD
}
