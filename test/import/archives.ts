/** Archives of mail on disk, for tests. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createMailArchive } from '../../src/adapters/archive/archive.ts'
import type { ArchivedMessage, ArchiveItem } from '../../src/ports/mail-archive.ts'

export const never = new AbortController().signal

export function writeFile(path: string, content: string | Uint8Array, modified?: number): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  if (modified !== undefined) utimesSync(path, modified, modified)
  return path
}

/** Files by name below a directory, all with the same time. */
export function writeTree(directory: string, files: Readonly<Record<string, string>>, modified: number): string {
  for (const [name, content] of Object.entries(files)) writeFile(join(directory, name), content, modified)
  return directory
}

/** Everything that an archive gives, in order. */
export async function readAll(path: string): Promise<ArchiveItem[]> {
  const items: ArchiveItem[] = []
  for (const source of await createMailArchive().open(path, never)) {
    for await (const item of source.read(undefined, never)) items.push(item)
  }
  return items
}

export async function readMessages(path: string): Promise<ArchivedMessage[]> {
  return (await readAll(path)).filter((item) => item.kind === 'message')
}

export function textOf({ bytes }: { readonly bytes: Uint8Array }): string {
  return Buffer.from(bytes).toString('latin1')
}
