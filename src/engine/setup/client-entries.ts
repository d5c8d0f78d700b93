/**
 * Puts Postern into the files of MCP clients, and takes it out again.
 *
 * INVARIANT: nothing else in such a file changes; a copy of it is made before; an entry that is there already keeps what its
 * owner added to it.
 */
import { Failure } from '../../core/failure.ts'
import { CLIENTS, clientNamed, type McpClient, type Places, type ServerCommand } from '../../core/setup/clients.ts'
import { entryIn, type Json, withEntry, withoutEntry } from '../../core/setup/jsonc-edit.ts'
import { nearest } from '../../core/text/nearest.ts'
import type { ClientFiles } from '../../ports/client-files.ts'

export interface ClientParts {
  readonly files: ClientFiles
  readonly places: Places
}

export interface ClientChange {
  readonly client: McpClient
  readonly file: string
  readonly kind: 'added' | 'changed' | 'unchanged' | 'removed' | 'absent'
  /** Where the copy of what was there is. */
  readonly backup?: string
}

export interface ClientState {
  readonly client: McpClient
  readonly file: string
  /** It seems to be used on this machine. */
  readonly found: boolean
  readonly configured: boolean
  /** The text of its entry, where it is configured. */
  readonly entry?: string
}

export function requireClient(id: string): McpClient {
  const client = clientNamed(id)
  if (client !== undefined) return client
  const ids = CLIENTS.map((known) => known.id)
  const meant = nearest(id, ids)
  const cure = meant === undefined ? `known are ${ids.join(', ')}` : `did you mean ${meant}?`
  throw new Failure('invalid_input', `there is no client of that name; ${cure}`)
}

export async function addClient(
  client: McpClient,
  name: string,
  server: ServerCommand,
  parts: ClientParts,
): Promise<ClientChange> {
  return edit(client, parts, 'add --print and put what it shows there yourself', (text, key) => {
    const path = [key, name]
    const there = parsed(entryIn(text, path))
    const entry = merged(there, client.entry(server))
    if (there !== undefined && same(there, entry)) return { kind: 'unchanged', text }
    return { kind: there === undefined ? 'added' : 'changed', text: withEntry(text, path, entry) }
  })
}

export async function removeClient(client: McpClient, name: string, parts: ClientParts): Promise<ClientChange> {
  return edit(client, parts, `take "${name}" out of it yourself`, (text, key) => {
    const after = withoutEntry(text, [key, name])
    return { kind: after === text ? 'absent' : 'removed', text: after }
  })
}

/** A file that cannot be read holds no entry of ours that anybody could see. */
export async function listClients(name: string, { files, places }: ClientParts): Promise<readonly ClientState[]> {
  return Promise.all(
    CLIENTS.map(async (client) => {
      const path = client.path(places)
      const found = await files.isAtHome(path)
      const entry = found ? await entryOf(client, name, path, files) : undefined
      const state = { client, file: files.name(path), found }
      return entry === undefined ? { ...state, configured: false } : { ...state, configured: true, entry }
    }),
  )
}

async function entryOf(
  { key }: McpClient,
  name: string,
  path: readonly string[],
  files: ClientFiles,
): Promise<string | undefined> {
  try {
    return key === undefined ? undefined : entryIn((await files.read(path)) ?? '', [key, name])
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return undefined
  }
}

async function edit(
  client: McpClient,
  { files, places }: ClientParts,
  byHand: string,
  change: (text: string, key: string) => { readonly kind: ClientChange['kind']; readonly text: string },
): Promise<ClientChange> {
  const path = client.path(places)
  const file = files.name(path)
  if (client.key === undefined) {
    throw new Failure('unsupported', `${file} is not a JSON file; ${byHand}`)
  }
  const before = await files.read(path)
  const { kind, text } = named(file, () => change(before ?? '', client.key ?? ''))
  if (text === (before ?? '')) return { client, file, kind }
  const backup = await files.replace(path, text, before)
  return { client, file, kind, ...(backup !== undefined && { backup }) }
}

/** Whoever reads of line 3 wants to know of which file. */
function named<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const cure = 'mend it, or add --print and put what it shows there yourself'
    throw new Failure(error.code, `${file} was left alone: ${error.message}; ${cure}`, { cause: error })
  }
}

type Entry = { readonly [key: string]: Json }

/** Comments inside an old entry of ours are not worth keeping; one that cannot be read is replaced. */
function parsed(text: string | undefined): Entry | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Entry) : {}
  } catch {
    return {}
  }
}

/** Of the way to reach a server there can be only one, so what says another goes. */
const OTHER_WAYS = ['url', 'serverUrl', 'httpUrl', 'headers', 'type', 'source']

function merged(there: Entry | undefined, ours: Entry): Entry {
  const kept = Object.entries(there ?? {}).filter(([key]) => !OTHER_WAYS.includes(key))
  const entry = { ...Object.fromEntries(kept), ...ours }
  const variables = ['env', 'environment'].flatMap((key) => {
    const [own, others] = [ours[key], there?.[key]]
    return isObject(own) && isObject(others) ? [[key, { ...others, ...own }] as const] : []
  })
  return { ...entry, ...Object.fromEntries(variables) }
}

function isObject(value: Json | undefined): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whatever the order of keys. */
function same(one: Json, other: Json): boolean {
  return canonical(one) === canonical(other)
}

function canonical(value: Json): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
