/** Attachments that were saved to files: what lies where, and for how long. */
import { count } from '../../../core/text/count.ts'
import type { Check } from '../check.ts'
import { type Finding, ok, warning } from '../finding.ts'
import type { AttachmentsLook } from '../world.ts'
import { quoted } from './configuration.ts'

/** A server looks every minute. */
const LATE_MS = 65 * 60_000
const MB = 1024 * 1024

export const attachmentsCheck: Check = {
  name: 'attachments',
  looksAt: 'attachments that were saved to files',
  run: async (world) => (await world.attachments()).flatMap((look) => findingOf(look, world.now()) ?? []),
}

function findingOf(look: AttachmentsLook, now: number): Finding | undefined {
  const { directory, files, bytes, oldest, isTemporary, othersRead } = look
  if (othersRead) {
    return warning(`${directory} can be read by other users of this machine`, `run: chmod 700 ${quoted(directory)}`)
  }
  if (oldest === undefined) return undefined
  const lie = `${count(files, 'saved attachment')}, ${(bytes / MB).toFixed(1)} MB, in ${directory}`
  if (!isTemporary) return ok(`${lie}; they stay until you remove them`)
  if (now - oldest <= LATE_MS) return ok(`${lie}; each is deleted an hour after it was saved`)
  const cure = `start a server, which deletes them, or run: rm -f ${quoted(directory)}/*`
  return warning(`${lie}; the oldest is over an hour old, and no server has run since`, cure)
}
