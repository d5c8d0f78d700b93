/** Verifies an audit directory, plain and compressed files alike, without holding more than a line in memory. */
import { open } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { ChainVerifier, type Verification } from '../../core/audit/verify.ts'
import { type DayFile, listDayFiles } from './day-files.ts'
import { cannotRead } from './failures.ts'
import { linesOf } from './lines.ts'
import { sha256 } from './tail.ts'

/** A server may be in the middle of writing a line; then it is whole a moment later. */
const LOOKS = 10
const PAUSE_MS = 20
const NEWLINE = 0x0a

export async function verifyAuditDirectory(directory: string): Promise<Verification> {
  try {
    const verifier = new ChainVerifier(sha256)
    for (const file of await listDayFiles(directory)) {
      verifier.startFile(file.name, file.day)
      const size = file.compressed ? undefined : await settledSize(file)
      for await (const line of linesOf(file, size)) {
        verifier.line(line)
        if (verifier.settled) return verifier.finish()
      }
    }
    return verifier.finish()
  } catch (error) {
    throw cannotRead(error)
  }
}

/** Up to where to read: what is appended later is not part of this verification. */
async function settledSize({ path }: DayFile): Promise<number> {
  const handle = await open(path, 'r')
  try {
    for (let look = 1; ; look += 1) {
      const { size } = await handle.stat()
      const last = Buffer.alloc(1)
      if (size > 0) await handle.read(last, 0, 1, size - 1)
      if (size === 0 || last[0] === NEWLINE || look === LOOKS) return size
      await pause(PAUSE_MS)
    }
  } finally {
    await handle.close()
  }
}
