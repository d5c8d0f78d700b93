/** Runs once before all tests: gives them a folder for what they write, and removes it afterwards. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Returns what is to be done at the end. */
export function setup(): () => void {
  // Short: sockets lie below it, and their paths have a limit.
  const folder = mkdtempSync(join(tmpdir(), 'pt-'))
  // A mail server works for users of its own.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
