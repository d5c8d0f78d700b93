/** Commands in what we say, written as this person has to type them. */

/** Where a command begins, and not where `postern` is a word in a path, or was written with its npx already. */
const COMMAND = /(?<=^|[\s"“(])(?<!npx )postern(?= (?:--help\b|[a-z]))/gm

/** `words` are our own alone: what mail says is shown as it is. */
export function asTyped(words: string, program: string): string {
  return program === 'postern' ? words : words.replaceAll(COMMAND, () => program)
}
