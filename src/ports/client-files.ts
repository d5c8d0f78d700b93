/**
 * The files of other programs.
 *
 * Promises: `read` gives the text exactly as it is, or undefined where there is no such file; a file that is no text, or
 * too large, or cannot be read is a `Failure` that names it. `replace` puts a copy of what was there beside it first, then
 * puts the new text in its place whole or not at all, at the end of links and with the rights it had; where the file is no
 * longer what was read it throws `Failure('conflict')` and leaves everything alone. Durable when it resolves.
 */
export interface ClientFiles {
  read(path: readonly string[]): Promise<string | undefined>
  /** Gives the path of the copy, undefined where there was nothing. */
  replace(path: readonly string[], text: string, before: string | undefined): Promise<string | undefined>
  /** Whether the folder is there that the file belongs in: then the program has most likely been used here. */
  isAtHome(path: readonly string[]): Promise<boolean>
  /** As a person would write it. */
  name(path: readonly string[]): string
}
