/** Maildir: one file per message in `cur` and `new`, its flags at the end of the file's name. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { entriesOf } from './entries.ts'
import type { MessageFile } from './message-files.ts'

const FLAGS: Readonly<Record<string, string>> = {
  S: '\\Seen',
  R: '\\Answered',
  F: '\\Flagged',
  D: '\\Draft',
  T: '\\Deleted',
  P: '$Forwarded',
}
// Where a colon cannot stand in a file name, programs write another sign.
const INFO = /[:;!\-_]2,([A-Za-z]*)$/
const STAT_AT_ONCE = 64

/** Every message of one Maildir folder, by name. */
export async function maildirFiles(folder: string, mailbox: string): Promise<MessageFile[]> {
  const keywords = await keywordNames(folder)
  const places = ['cur', 'new'].map(async (place) =>
    (await entriesOf(join(folder, place))).map((name) => ({ place, name: name.name })),
  )
  const names = (await Promise.all(places)).flat().filter(({ name }) => !name.startsWith('.'))
  names.sort((a, b) => (a.name < b.name ? -1 : 1))
  const files: MessageFile[] = []
  for (let at = 0; at < names.length; at += STAT_AT_ONCE) {
    const some = names.slice(at, at + STAT_AT_ONCE)
    const made = some.map(({ place, name }) => messageFile(join(folder, place, name), mailbox, flagsOf(name, keywords)))
    files.push(...(await Promise.all(made)).flat())
  }
  return files
}

export function flagsOf(name: string, keywords: ReadonlyMap<string, string>): string[] {
  const letters = [...(INFO.exec(name)?.[1] ?? '')]
  return letters.flatMap((letter) => FLAGS[letter] ?? keywords.get(letter) ?? [])
}

/** Nothing where it is no file (any more). */
async function messageFile(path: string, mailbox: string, flags: readonly string[]): Promise<MessageFile[]> {
  const facts = await stat(path).catch(() => undefined)
  if (!facts?.isFile()) return []
  const modified = Math.floor(facts.mtimeMs / 1000)
  return [{ path, mailbox, size: facts.size, modified, flags, received: modified }]
}

/** Dovecot keeps the names of the letters a to z beside the messages: `0 $Label1`. */
async function keywordNames(folder: string): Promise<Map<string, string>> {
  const text = await readFile(join(folder, 'dovecot-keywords'), 'utf8').catch(() => '')
  return new Map(
    [...text.matchAll(/^(\d{1,2}) (\S+)$/gm)].map(([, number, name = '']) => [
      String.fromCharCode(97 + Number(number)),
      name,
    ]),
  )
}
