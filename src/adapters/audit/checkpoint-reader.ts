/** Reads a day's checkpoints back and judges their signatures. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { SignedHead } from '../../core/audit/attestation.ts'
import { readCheckpointText } from '../../core/audit/checkpoint.ts'
import { readNotes, type SignedNote, type VerifierKey } from '../../core/audit/note.ts'
import { checkpointPath } from './day-files.ts'
import { codeOf } from './failures.ts'
import { judgeNote } from './key.ts'

/** Where something stands. */
export interface Spotted {
  readonly file: string
  readonly line: number
}

export interface DayCheckpoints {
  readonly heads: readonly (SignedHead & Spotted)[]
  /** The first that is no checkpoint of this day, or whose signature is false. */
  readonly trouble: Spotted | undefined
}

export async function readCheckpoints(
  directory: string,
  day: string,
  key: VerifierKey | undefined,
): Promise<DayCheckpoints> {
  const path = checkpointPath(directory, day)
  const file = basename(path)
  const { notes, badLine } = readNotes(await textOf(path))
  const heads: (SignedHead & Spotted)[] = []
  for (const note of notes) {
    const head = headOf(note, day, key)
    if (head === undefined) return { heads, trouble: { file, line: note.line } }
    heads.push({ ...head, file, line: note.line })
  }
  return { heads, trouble: badLine === undefined ? undefined : { file, line: badLine } }
}

function headOf(note: SignedNote, day: string, key: VerifierKey | undefined): SignedHead | undefined {
  const checkpoint = readCheckpointText(note.text)
  const judgement = key === undefined ? 'unknown' : judgeNote(note, key)
  if (checkpoint?.day !== day || judgement === 'forged') return undefined
  return { size: checkpoint.size, root: checkpoint.root, trusted: judgement === 'trusted' }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
}
