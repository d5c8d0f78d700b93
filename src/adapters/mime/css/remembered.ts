/**
 * What was made of a text, remembered from page to page: mail repeats the same styles over and over.
 *
 * INVARIANT: holds at most `most` texts of at most `longest` characters, and nothing of the pages that they stood in.
 * Nobody changes what is remembered.
 */
export function remembered<T>(read: (text: string) => T, most: number, longest: number): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    if (text.length > longest) return read(text)
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= most) known.delete(known.keys().next().value ?? '')
    // A piece of a page would keep all of the page in memory.
    const copy: string = structuredClone(text)
    const made = read(copy)
    known.set(copy, made)
    return made
  }
}
