/**
 * Finds out what mail lies at a path: an mbox file, a Maildir, a message, or a directory with any of them in it.
 */
import type { Dirent } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Failure } from '../../core/failure.ts'
import type { ArchiveSource, MailArchive } from '../../ports/mail-archive.ts'
import { entriesOf } from './entries.ts'
import { throwIfAborted, translated } from './failures.ts'
import { mailboxOfDotted, mailboxOfPath } from './folder-name.ts'
import { maildirFiles } from './maildir.ts'
import { mboxSource } from './mbox.ts'
import { filesSource, type MessageFile } from './message-files.ts'
import { sniffFile } from './sniff.ts'

const MAX_DEPTH = 32

export function createMailArchive(): MailArchive {
  return { open: openArchive }
}

async function openArchive(path: string, signal: AbortSignal): Promise<readonly ArchiveSource[]> {
  throwIfAborted(signal)
  const root = await translated(path, () => realpath(path))
  const facts = await translated(path, () => stat(root))
  if (facts.isFile()) return [await openFile(root)]
  if (!facts.isDirectory()) throw new Failure('invalid_input', `${path} is neither a file nor a directory`)
  const found: Gathered = { mboxes: [], maildir: [], eml: [] }
  await gather(root, [], found, signal)
  const sources = [
    ...(await Promise.all(found.mboxes.map(({ file, mailbox }) => mboxSource(file, mailbox)))),
    ...(found.maildir.length > 0 ? [filesSource('maildir', root, found.maildir)] : []),
    ...(found.eml.length > 0 ? [filesSource('eml', root, found.eml)] : []),
  ]
  if (sources.length === 0) {
    throw new Failure(
      'invalid_input',
      `${path} holds no mail: no mbox file, no Maildir with messages and no .eml file was found in it`,
    )
  }
  return sources
}

async function openFile(path: string): Promise<ArchiveSource> {
  switch (await translated(path, () => sniffFile(path))) {
    case 'mbox':
      return mboxSource(path, mailboxOfPath([basename(path)]))
    case 'message':
      return filesSource('eml', path, [await emlFile(path, 'INBOX')])
    case 'empty':
      throw new Failure('invalid_input', `${path} is empty`)
    case 'compressed':
      throw new Failure('invalid_input', `${path} is compressed: unpack it first and import what is in it`)
    case 'other':
      throw new Failure('invalid_input', `${path} does not look like mail: it is neither an mbox file nor a message`)
  }
}

interface Gathered {
  readonly mboxes: { file: string; mailbox: string }[]
  readonly maildir: MessageFile[]
  readonly eml: MessageFile[]
}

async function gather(
  directory: string,
  levels: readonly string[],
  found: Gathered,
  signal: AbortSignal,
): Promise<void> {
  throwIfAborted(signal)
  const entries = await entriesOf(directory)
  const isMaildir = entries.some((entry) => entry.isDirectory() && (entry.name === 'cur' || entry.name === 'new'))
  if (isMaildir) found.maildir.push(...(await maildirFiles(directory, maildirName(levels))))
  for (const entry of entries) {
    if (isMaildir && (MAILDIR_PARTS.has(entry.name) || entry.isFile())) continue
    const path = join(directory, entry.name)
    if (entry.isFile()) await gatherFile(path, levels, entry, found)
    else if (levels.length < MAX_DEPTH) await gather(path, [...levels, entry.name], found, signal)
  }
}

const MAILDIR_PARTS = new Set(['cur', 'new', 'tmp'])

async function gatherFile(path: string, levels: readonly string[], { name }: Dirent, found: Gathered): Promise<void> {
  if (/\.eml$/i.test(name)) {
    found.eml.push(await emlFile(path, mailboxOfPath(levels)))
  } else if (!name.startsWith('.') && (await translated(path, () => sniffFile(path))) === 'mbox') {
    found.mboxes.push({ file: path, mailbox: mailboxOfPath([...levels, name]) })
  }
}

async function emlFile(path: string, mailbox: string): Promise<MessageFile> {
  const { size, mtimeMs } = await translated(path, () => stat(path))
  return { path, mailbox, size, modified: Math.floor(mtimeMs / 1000), flags: undefined, received: undefined }
}

/** `.Projects.Atlas` (Maildir++) or `Projects/Atlas` (one directory a level); the root is the inbox. */
function maildirName(levels: readonly string[]): string {
  const last = levels.at(-1)
  if (last?.startsWith('.')) return mailboxOfDotted(last)
  return mailboxOfPath(levels)
}
