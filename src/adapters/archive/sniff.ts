/** What a file is, by its first bytes. */
import { open } from 'node:fs/promises'
import { beginsMessage } from './from-line.ts'

export type Sniffed = 'mbox' | 'message' | 'compressed' | 'empty' | 'other'

const LOOK_BYTES = 4096
const FIELD_LINE = /^[!-9;-~]{1,200}[ \t]*:/
const COMPRESSED = [
  [0x50, 0x4b, 0x03, 0x04],
  [0x1f, 0x8b],
  [0x42, 0x5a, 0x68],
  [0xfd, 0x37, 0x7a, 0x58, 0x5a],
  [0x37, 0x7a, 0xbc, 0xaf],
]

export async function sniffFile(path: string): Promise<Sniffed> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LOOK_BYTES), 0, LOOK_BYTES, 0)
    return sniff(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

export function sniff(bytes: Uint8Array): Sniffed {
  if (bytes.length === 0) return 'empty'
  if (COMPRESSED.some((magic) => magic.every((byte, at) => bytes[at] === byte))) return 'compressed'
  const [line = '', next = ''] = firstLines(bytes)
  if (line.startsWith('From ') && beginsMessage(line, { afterBlank: true, next })) return 'mbox'
  return looksLikeMessage(bytes) ? 'message' : 'other'
}

/** Whether the bytes begin with header fields; a `From ` line that somebody left before them is forgiven. */
export function looksLikeMessage(bytes: Uint8Array): boolean {
  const [first = '', second = ''] = firstLines(bytes)
  return FIELD_LINE.test(/^>?From /.test(first) ? second : first)
}

function firstLines(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.subarray(0, LOOK_BYTES)).toString('latin1')
  return text.replace(/^(?:\u00EF\u00BB\u00BF)?(?:\r?\n)*/, '').split(/\r?\n/, 2)
}
