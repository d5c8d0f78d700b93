/**
 * Messages that lie in files of their own: a Maildir, or a tree of .eml files.
 *
 * INVARIANT: the order is that of the list it was made from, and the identity changes when the list does.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ArchiveItem, ArchiveSource } from '../../ports/mail-archive.ts'
import { errorCode, throwIfAborted, translated } from './failures.ts'
import { fingerprint } from './fingerprint.ts'
import { looksLikeMessage } from './sniff.ts'

const MAX_MESSAGE = 256 * 1024 * 1024

export interface MessageFile {
  readonly path: string
  readonly mailbox: string
  readonly size: number
  readonly modified: number
  readonly flags: readonly string[] | undefined
  /** Where the file's own time is when the message arrived. */
  readonly received: number | undefined
}

export function filesSource(format: 'maildir' | 'eml', root: string, files: readonly MessageFile[]): ArchiveSource {
  const hash = createHash('sha256')
  const before = [0]
  for (const { path, size, modified } of files) {
    hash.update(`${path}\0${size}\0${modified}\n`)
    before.push((before.at(-1) ?? 0) + size)
  }
  return {
    format,
    path: root,
    identity: `${format}:${root}:${hash.digest('hex')}`,
    bytes: before.at(-1) ?? 0,
    bytesBefore: (position) => before[Number(position)] ?? 0,
    read: (position, signal) => readFiles(files, Number(position ?? 0), signal),
  }
}

async function* readFiles(
  files: readonly MessageFile[],
  from: number,
  signal: AbortSignal,
): AsyncGenerator<ArchiveItem> {
  for (const [index, file] of files.entries()) {
    if (index < from) continue
    throwIfAborted(signal)
    yield await readMessageFile(file, String(index + 1))
  }
}

async function readMessageFile(file: MessageFile, position: string): Promise<ArchiveItem> {
  if (file.size > MAX_MESSAGE) return { kind: 'unreadable', reason: 'a file is larger than 256 MB', position }
  const bytes = await readOrReason(file.path)
  if (typeof bytes === 'string') return { kind: 'unreadable', reason: bytes, position }
  const { mailbox, flags, received, modified } = file
  return { kind: 'message', bytes, mailbox, flags, received, modified, fingerprint: fingerprint(bytes), position }
}

/** One bad file among thousands stops nothing: it is told of in the summary. */
async function readOrReason(path: string): Promise<Buffer | string> {
  try {
    const bytes = await translated(path, () => readFile(path))
    if (bytes.length === 0) return 'a file is empty'
    return looksLikeMessage(bytes) ? bytes : 'a file does not look like mail'
  } catch (error) {
    const code = error instanceof Error ? errorCode(error.cause) : undefined
    if (code === 'ENOENT') return 'a file vanished while the archive was read'
    if (code === 'EACCES' || code === 'EPERM') return 'a file may not be read'
    throw error
  }
}
