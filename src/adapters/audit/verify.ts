/**
 * Verifies an audit directory, plain and compressed files alike, without holding more than a line in memory.
 *
 * INVARIANT: may run while others write: a file's checkpoints are read before its lines, and days with checkpoints are
 * listed before days with files, so that nothing is asked for that was not there yet. Nothing is called broken because a file
 * that was listed has gone meanwhile.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyUsed } from '../../core/audit/attestation.ts'
import type { VerifierKey } from '../../core/audit/note.ts'
import { ChainVerifier, type Verification } from '../../core/audit/verify.ts'
import { readCheckpoints } from './checkpoint-reader.ts'
import { checkpointPath, type DayFile, dayFile, listCheckpointDays, listDayFiles } from './day-files.ts'
import { cannotRead } from './failures.ts'
import { givenKey, readPublicKey } from './key.ts'
import { settledLines } from './lines.ts'
import { sha256 } from './tail.ts'

export interface VerifyOptions {
  /** A public key that was kept elsewhere, as `audit.pub` writes it, or the path of a file with it. */
  readonly key?: string
  /** Where `audit.pub` lies otherwise. When absent: beside the audit directory. */
  readonly keyDirectory?: string
}

export type DirectoryVerification = Verification & { readonly key: KeyUsed }

export async function verifyAuditDirectory(
  directory: string,
  { key: given, keyDirectory = join(directory, '..') }: VerifyOptions = {},
): Promise<DirectoryVerification> {
  try {
    const key = given === undefined ? await readPublicKey(keyDirectory) : await givenKey(given)
    const used: KeyUsed =
      key === undefined ? { kind: 'none' } : { kind: given === undefined ? 'found' : 'given', id: key.id }
    return { ...(await verifyFiles(directory, { key, strict: given !== undefined })), key: used }
  } catch (error) {
    throw cannotRead(error)
  }
}

/** More often than files can go for their age while somebody reads. */
const MOST_TRIES = 50

async function verifyFiles(directory: string, trust: Trust): Promise<Verification> {
  for (let tries = 1; ; tries += 1) {
    const signedDays = await listCheckpointDays(directory)
    const files = await listDayFiles(directory)
    const found = await verifyListed(directory, signedDays, files, trust)
    // Old files go one after another: what was read of them is of no one moment, and what is left is read anew.
    if (found.kind === 'intact' || files.every(isThere) || tries === MOST_TRIES) return found
  }
}

function isThere({ path, compressed }: DayFile): boolean {
  return existsSync(path) || (!compressed && existsSync(`${path}.gz`))
}

async function verifyListed(
  directory: string,
  signedDays: readonly string[],
  listed: readonly DayFile[],
  trust: Trust,
): Promise<Verification> {
  const verifier = new ChainVerifier(sha256)
  const files = new Map(listed.map((file) => [file.day, file]))
  for (const day of [...new Set([...files.keys(), ...signedDays])].sort()) {
    const file = files.get(day)
    if (file !== undefined) await verifyFile(verifier, directory, file, trust)
    // Old days go with their checkpoints; meanwhile they may have gone.
    else if (existsSync(checkpointPath(directory, day))) verifier.missingFile(dayFile(directory, day).name)
    if (verifier.settled) break
  }
  return verifier.finish()
}

interface Trust {
  readonly key: VerifierKey | undefined
  /** A checkpoint of another key is a finding. */
  readonly strict: boolean
}

async function verifyFile(verifier: ChainVerifier, directory: string, file: DayFile, trust: Trust): Promise<void> {
  const { heads, trouble } = await readCheckpoints(directory, file.day, trust.key)
  const lines = settledLines(file)
  verifier.startFile(file.name, file.day, heads)
  for await (const line of lines) {
    verifier.line(line)
    if (verifier.settled) return
  }
  const foreign = trust.strict ? heads.find(({ trusted }) => !trusted) : undefined
  if (trouble !== undefined) verifier.badCheckpoint(trouble.file, trouble.line, 'bad_checkpoint')
  if (foreign !== undefined) verifier.badCheckpoint(foreign.file, foreign.line, 'foreign_checkpoint')
}
