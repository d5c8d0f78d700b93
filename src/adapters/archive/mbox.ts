/**
 * Messages out of an mbox file: mboxrd, mboxo, and mboxcl with its Content-Length.
 *
 * INVARIANT: every byte of the file belongs to one message, one `From ` line or the blank line that parts two.
 */
import { open, realpath, stat } from 'node:fs/promises'
import { headerExtent } from '../../core/mime/header.ts'
import type { ArchiveItem, ArchiveSource } from '../../ports/mail-archive.ts'
import { throwIfAborted, translated } from './failures.ts'
import { fingerprint } from './fingerprint.ts'
import { fromLineTime } from './from-line.ts'
import { MboxFile } from './mbox-file.ts'

/** A larger one is left out: somewhere a `From ` line is missing. */
const MAX_MESSAGE = 256 * 1024 * 1024
const HEADER_LOOK = 64 * 1024
const CONTENT_LENGTH = /^content-length:[ \t]*(\d{1,12})[ \t]*\r?$/im

export async function mboxSource(path: string, mailbox: string): Promise<ArchiveSource> {
  const { size, mtimeMs, dev, ino } = await translated(path, () => stat(path))
  const identity = ['mbox', await translated(path, () => realpath(path)), dev, ino, size, mtimeMs].join(':')
  const modified = Math.floor(mtimeMs / 1000)
  return {
    format: 'mbox',
    path,
    identity,
    bytes: size,
    bytesBefore: (position) => Number(position),
    read: (position, signal) => readMbox({ path, size, mailbox, modified }, Number(position ?? 0), signal),
  }
}

interface MboxFacts {
  readonly path: string
  readonly size: number
  readonly mailbox: string
  readonly modified: number
}

async function* readMbox(facts: MboxFacts, from: number, signal: AbortSignal): AsyncGenerator<ArchiveItem> {
  const handle = await translated(facts.path, () => open(facts.path, 'r'))
  try {
    const file = new MboxFile(handle, facts.size)
    for (let at = await file.nextFromLine(from); at < facts.size; ) {
      throwIfAborted(signal)
      const place = at
      const { item, next } = await translated(facts.path, () => readMessage(file, place, facts))
      yield item
      at = next
    }
  } finally {
    await handle.close()
  }
}

async function readMessage(
  file: MboxFile,
  place: number,
  facts: MboxFacts,
): Promise<{ item: ArchiveItem; next: number }> {
  const line = await file.line(place)
  const start = await lineEnd(file, place)
  const counted = await countedEnd(file, start)
  const next = await file.nextFromLine(counted ?? start)
  const position = String(next)
  const end = counted ?? next
  if (end - start > MAX_MESSAGE) {
    return { item: { kind: 'unreadable', reason: 'a message is larger than 256 MB', position }, next }
  }
  const bytes = tidy(await file.copy(start, end), counted !== undefined)
  if (bytes.length === 0) return { item: { kind: 'unreadable', reason: 'a message is empty', position }, next }
  const { mailbox, modified } = facts
  const item: ArchiveItem = {
    kind: 'message',
    bytes,
    mailbox,
    flags: undefined,
    received: fromLineTime(line),
    modified,
    fingerprint: fingerprint(bytes),
    position,
  }
  return { item, next }
}

async function lineEnd(file: MboxFile, place: number): Promise<number> {
  const bytes = await file.peek(place, Math.min(file.size, place + HEADER_LOOK))
  const feed = bytes.indexOf(0x0a)
  return feed === -1 ? file.size : place + feed + 1
}

/** Where the message ends by its Content-Length, if a message or the end of the file follows just there. */
async function countedEnd(file: MboxFile, start: number): Promise<number | undefined> {
  const look = await file.peek(start, Math.min(file.size, start + HEADER_LOOK))
  const { end, bodyStart } = headerExtent(look)
  const digits = CONTENT_LENGTH.exec(look.toString('latin1', 0, end))?.[1]
  if (digits === undefined) return undefined
  const counted = start + bodyStart + Number(digits)
  if (counted > file.size) return undefined
  const behind = (await file.peek(counted, Math.min(file.size, counted + 4))).toString('latin1')
  const [gap = '', lineEnd = '', parting = ''] = /^(\r?\n)?(\r?\n)?/.exec(behind) ?? []
  const next = counted + gap.length
  if (next !== file.size && !(await file.isFromLine(next))) return undefined
  // Two line ends behind it: the writer did not count the one that ends the last line.
  return parting === '' ? counted : counted + lineEnd.length
}

/** Without the blank line that parts messages, and without the `>` that was put before lines that begin with From. */
function tidy(bytes: Buffer, counted: boolean): Buffer {
  const body = headerExtent(bytes).bodyStart
  // Bare `From ` lines in a counted message say that its writer escaped nothing.
  const escaped = !(counted && bytes.indexOf('\nFrom ', Math.max(0, body - 1)) !== -1)
  const whole = counted ? bytes : withoutPartingLine(bytes)
  return escaped ? unescapeFrom(whole, body) : whole
}

function withoutPartingLine(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1', Math.max(0, bytes.length - 4))
  if (text.endsWith('\r\n\r\n')) return bytes.subarray(0, -2)
  return text.endsWith('\n\n') ? bytes.subarray(0, -1) : bytes
}

/** One `>` less before every `From ` at the beginning of a line of the body. */
export function unescapeFrom(bytes: Buffer, body: number): Buffer {
  const kept: Buffer[] = []
  let at = 0
  for (let mark = bytes.indexOf('>From ', body); mark !== -1; mark = bytes.indexOf('>From ', mark + 6)) {
    let first = mark
    while (first > body && bytes[first - 1] === 0x3e) first--
    if (first !== body && bytes[first - 1] !== 0x0a) continue
    kept.push(bytes.subarray(at, mark))
    at = mark + 1
  }
  return at === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(at)])
}
