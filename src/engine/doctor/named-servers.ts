/** The MCP servers that a client's file names, those that are us. */
import { readJsonc } from '../../core/setup/jsonc.ts'

export interface NamedServer {
  readonly name: string
  /** The program and its arguments; empty for a server that is reached by its address. */
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly url: string | undefined
}

type Fields = Readonly<Record<string, unknown>>

/** Names under which we are started. */
const OURS = /(^|[\\/@])(postern|imap-mcp)(\.mjs|\.cmd|@[^/\\]*)?$/i

/** `key` is where the client keeps its servers. Throws a `Failure` for what is no JSON. */
export function serversNamed(text: string, key: string): readonly NamedServer[] {
  if (text.trim() === '') return []
  readJsonc(text)
  const root = fieldsOf(JSON.parse(withoutComments(text.replace(/^\ufeff/, ''))))
  // A client may keep servers for a project beside those for all.
  const places = [root, ...Object.values(fieldsOf(root['projects'])).map(fieldsOf)]
  const named = places.flatMap((place) => Object.entries(fieldsOf(place[key])))
  return named.map(([name, entry]) => serverFrom(name, fieldsOf(entry))).filter(isOurs)
}

function serverFrom(name: string, { command, args, env, environment, url, serverUrl }: Fields): NamedServer {
  const words = [command, args].flat().filter((word) => typeof word === 'string')
  const address = [url, serverUrl].find((text) => typeof text === 'string')
  return { name, words, env: textsOf(fieldsOf(env ?? environment)), url: address }
}

function isOurs({ name, words, url }: NamedServer): boolean {
  return words.some((word) => OURS.test(word)) || (/postern/i.test(name) && (url !== undefined || words.length > 0))
}

function textsOf(fields: Fields): Readonly<Record<string, string>> {
  const texts = Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries(texts)
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** Of what was read as JSON with comments: the same without them, and without commas before a bracket. */
function withoutComments(text: string): string {
  const bare = text.replaceAll(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, kept?: string) => kept ?? ' ')
  return bare.replaceAll(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_, kept?: string) => kept ?? '')
}
