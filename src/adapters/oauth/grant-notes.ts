/**
 * Notes on granted access: one small JSON file for each account in `oauth/` of the data directory, readable by its owner.
 *
 * INVARIANT: a file appears whole or not at all. What cannot be understood counts as a refusal, never as leave.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../core/failure.ts'
import type { GrantNote, GrantNotes, Refusal } from '../../ports/grant-notes.ts'
import { takeTurn } from './account-turn.ts'
import { notesUnavailable } from './note-failures.ts'

const REASONS: readonly unknown[] = ['invalid_grant', 'refused_by_server', 'note_damaged'] satisfies Refusal['reason'][]

export function createGrantNotes(parts: { readonly directory: string }): GrantNotes {
  const directory = join(parts.directory, 'oauth')
  const pathOf = (account: string, ending: string): string => join(directory, fileName(account) + ending)
  return {
    read: (account) => readNote(pathOf(account, '.json')).catch(explain),
    write: (account, note) => writeNote(directory, pathOf(account, '.json'), note).catch(explain),
    async alone(account, work) {
      await mkdir(directory, { recursive: true, mode: 0o700 }).catch(explain)
      return takeTurn(pathOf(account, '.lock.db'), work).catch(explain)
    },
  }
}

/** Any id is a file name so, and no two ids are the same one, whatever the file system thinks of letter case. */
function fileName(account: string): string {
  const safe = (byte: number): string => {
    const letter = String.fromCharCode(byte)
    return /[a-z0-9_-]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0')}`
  }
  return [...Buffer.from(account)].map(safe).join('')
}

async function readNote(path: string): Promise<GrantNote | undefined> {
  try {
    return understand(await readFile(path, 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function understand(text: string): GrantNote {
  const note = parse(text)
  const { scope, granted, token, refused } = note
  if (typeof scope !== 'string' || !optionalText(granted) || !optionalText(token)) return DAMAGED
  const known = { scope, ...(granted === undefined ? {} : { granted }), ...(token === undefined ? {} : { token }) }
  if (refused === undefined) return known
  const refusal = refusalFrom(refused)
  return refusal === undefined ? DAMAGED : { ...known, refused: refusal }
}

/** Whether the text of a note can be understood. */
export function isGrantNote(text: string): boolean {
  return understand(text) !== DAMAGED
}

const DAMAGED: GrantNote = { scope: '', refused: { reason: 'note_damaged' } }

function refusalFrom(value: unknown): Refusal | undefined {
  const { reason, token }: Record<string, unknown> = { ...(value as object) }
  if (!REASONS.includes(reason) || !optionalText(token)) return undefined
  return { reason: reason as Refusal['reason'], ...(token === undefined ? {} : { token }) }
}

function parse(text: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(text) as object) }
  } catch {
    return {}
  }
}

function optionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

async function writeNote(directory: string, path: string, note: GrantNote): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomUUID()}`
  try {
    await durably(draft, 'wx', `${JSON.stringify(note)}\n`)
    await rename(draft, path)
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw error
  }
  // The new name is durable with its directory; some systems cannot do that and need not.
  await durably(directory, 'r').catch(() => undefined)
}

async function durably(path: string, flags: string, text?: string): Promise<void> {
  const file = await open(path, flags, 0o600)
  try {
    if (text !== undefined) await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

function explain(error: unknown): never {
  const code = codeOf(error)
  // Failures of the work done in a turn, and bugs, are not ours to explain.
  if (error instanceof Failure || code === undefined || !/^(E[A-Z0-9]+$|SQLITE_)/.test(code)) throw error
  throw notesUnavailable(error)
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
