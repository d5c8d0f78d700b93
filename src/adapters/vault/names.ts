/**
 * Names of files in the vault.
 *
 * INVARIANT: a name that gets past here is one step of a path, not hidden, and shows as what it is.
 */
import { unfitName } from './failures.ts'

const MOST_CHARACTERS = 200
const UNFIT = /[\p{C}\p{Zl}\p{Zp}/\\]/u
const ID = /^[A-Za-z0-9-]{1,100}$/
const ENDING = '.md'

export function isHidden(name: string): boolean {
  return name.startsWith('.')
}

export function isFit(name: string): boolean {
  return name !== '' && name.length <= MOST_CHARACTERS && !isHidden(name) && !UNFIT.test(name)
}

export function isNote(name: string): boolean {
  return name.toLowerCase().endsWith(ENDING)
}

/** A name as it may be told. */
export function told(name: string): string {
  return name.toWellFormed().replace(new RegExp(UNFIT, 'gu'), '?').slice(0, MOST_CHARACTERS)
}

export function fileNamed(name: string): string {
  if (!isFit(name)) throw unfitName()
  return name
}

export function fileOf(id: string): string {
  if (!ID.test(id)) throw unfitName()
  return `${id}${ENDING}`
}

const TAKEN = /^(.+)\.sending-([A-Za-z0-9-]{1,100})(\.md)$/i
/** What file systems allow. */
const MOST_BYTES = 255

/** The name in `Done/` of an approval that was taken for a letter: `yes.sending-<id>.md`. */
export function takenName(file: string, letter: string): string {
  const ending = isNote(file) ? file.slice(-ENDING.length) : ENDING
  const marked = `.sending-${letter}${ending}`
  const stem = [...(isNote(file) ? file.slice(0, -ENDING.length) : file)]
  while (Buffer.byteLength(stem.join('') + marked) > MOST_BYTES) stem.pop()
  return stem.join('') + marked
}

/** What such a name says; undefined where it is none. */
export function takenIn(name: string): { readonly file: string; readonly letter: string } | undefined {
  const [, stem, letter, ending] = TAKEN.exec(name) ?? []
  return stem === undefined || letter === undefined ? undefined : { file: `${stem}${ending}`, letter }
}

/** Undefined where it is no name of a request. */
export function idIn(name: string): string | undefined {
  const id = name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : ''
  return ID.test(id) ? id : undefined
}

/** Whether it is the request of one of these, under its name or one like it. */
export function isRequestOf(name: string, ids: ReadonlySet<string>): boolean {
  const id = idIn(name)
  return id !== undefined && (ids.has(id) || ids.has(id.replace(/-\d{1,9}$/, '')))
}

/** The same, then others like it, for where a name is taken. */
export function* namesLike(name: string): Generator<string> {
  yield name
  const stem = isNote(name) ? name.slice(0, -ENDING.length) : name
  for (let number = 2; ; number += 1) yield `${stem}-${number}${name.slice(stem.length)}`
}
