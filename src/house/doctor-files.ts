/** Looks at each file of the data directory. Nothing is made or changed. */
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { examineDatabase } from '../adapters/sqlite/examine-database.ts'
import { SIDE_FILES } from '../adapters/sqlite/sqlite-file.ts'
import type { FileLook, FileState } from '../engine/doctor/world.ts'
import { DATA_FOLDERS, type DataFile, dataFileOf } from './data-files.ts'

export interface DataPlaces {
  readonly directory: string
  /** These two may lie elsewhere. */
  readonly audit: string
  readonly journal: string
}

interface Listed {
  readonly path: string
  /** As if it lay in the data directory. */
  readonly name: string
}

export function lookAtFiles(places: DataPlaces): readonly FileLook[] {
  const looks = [...misplacedFolders(places.directory), ...filesIn(places).flatMap((file) => lookAt(file) ?? [])]
  // What goes with another file is told with it.
  const told = new Set(looks.filter(({ state }) => state !== 'sound').flatMap(({ move }) => move.slice(1)))
  return looks.filter(({ path }) => !told.has(path))
}

function misplacedFolders(directory: string): readonly FileLook[] {
  const paths = DATA_FOLDERS.map((name) => join(directory, name)).filter(isNoFolder)
  const about = { holds: 'a folder of Postern', state: 'no_folder', without: 'it is made again' } as const
  return paths.map((path) => ({ path, ...about, move: [path] }))
}

function lookAt({ path, name }: Listed): FileLook | undefined {
  const row = dataFileOf(name)
  if (row === undefined || row === 'passing' || row.isCheckedElsewhere) return undefined
  const { holds, without, together = [] } = row
  const beside = [...SIDE_FILES.map((ending) => path + ending), ...together.map((other) => join(dirname(path), other))]
  return { path, holds, without, state: stateOf(path, row), move: [path, ...beside.filter((side) => existsSync(side))] }
}

/** Files of the data directory that no row tells of. */
export function unknownFiles(places: DataPlaces): readonly string[] {
  return filesIn(places).flatMap(({ name }) => (dataFileOf(name) === undefined ? [name] : []))
}

/** Those of the data directory, and of what a tree puts elsewhere. */
function filesIn({ directory, audit, journal }: DataPlaces): readonly Listed[] {
  const listed = filesBelow(directory).map((path) => ({ path, name: relative(directory, path).split(sep).join('/') }))
  const isInside = (path: string): boolean => path === directory || path.startsWith(directory + sep)
  const elsewhere = isInside(audit) ? [] : filesBelow(audit, 'audit/')
  const beside = isInside(journal) ? [] : filesOf(dirname(journal)).filter((path) => path.startsWith(journal))
  return [
    ...listed.map(({ path, name }) => ({ path, name: path.startsWith(journal) ? nameOfJournal(path, journal) : name })),
    ...elsewhere.map((path) => ({ path, name: `audit/${basename(path)}` })),
    ...beside.map((path) => ({ path, name: nameOfJournal(path, journal) })),
  ]
}

function nameOfJournal(path: string, journal: string): string {
  return `wal.db${path.slice(journal.length)}`
}

function stateOf(path: string, { content, isPublic }: DataFile): FileState {
  try {
    const found = statSync(path)
    if (!found.isFile()) return 'no_file'
    accessSync(path, constants.R_OK | constants.W_OK)
    const state = contentState(path, content)
    if (state !== 'sound' || isPublic || process.platform === 'win32') return state
    return (found.mode & 0o077) === 0 ? 'sound' : 'open_to_others'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // One that went while we looked.
    if (code === 'ENOENT') return 'sound'
    if (code === undefined) throw error
    return 'forbidden'
  }
}

function contentState(path: string, content: DataFile['content']): FileState {
  switch (content.kind) {
    case 'any':
      return 'sound'
    case 'lock':
      return examineDatabase(path, undefined)
    case 'database':
      return examineDatabase(path, content.of)
    default: {
      const beside = (name: string): string => {
        const other = join(dirname(path), name)
        return existsSync(other) ? readFileSync(other, 'utf8') : ''
      }
      return content.isSound(readFileSync(path), beside) ? 'sound' : 'damaged'
    }
  }
}

/** A folder in the place of a file counts as that file. */
function filesBelow(directory: string, within = ''): readonly string[] {
  return entriesOf(directory).flatMap((entry) => {
    const [path, name] = [join(directory, entry.name), within + entry.name]
    return entry.isDirectory() && dataFileOf(name) === undefined ? filesBelow(path, `${name}/`) : [path]
  })
}

function filesOf(directory: string): readonly string[] {
  return entriesOf(directory).map(({ name }) => join(directory, name))
}

/** What may not be looked into is told of by another check. */
function entriesOf(directory: string): { readonly name: string; isDirectory(): boolean }[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    return []
  }
}

function isNoFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false
  } catch {
    return false
  }
}
