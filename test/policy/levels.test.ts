/** Every tool of both sets at every level: what it shows is what the level says, and nothing else comes out anywhere. */
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uidvalidityOf } from '../imap/harness.ts'
import { type Canary, canary, type Field, fieldsIn, unfolded } from './canaries.ts'
import {
  type Agent,
  ALL_CAPABILITIES,
  type Folder,
  granting,
  LEVELS,
  type Level,
  type Stage,
  startStage,
  uniform,
} from './stage.ts'

/** The level from which a field may be seen. INTERNALDATE is never shown where the message has a date of its own. */
const SEEN_FROM: Readonly<Record<Field, Level | 'never'>> = {
  size: 'METADATA',
  flags: 'METADATA',
  date: 'ENVELOPE',
  from: 'ENVELOPE',
  to: 'ENVELOPE',
  cc: 'ENVELOPE',
  subject: 'ENVELOPE',
  messageId: 'ENVELOPE',
  header: 'HEADERS',
  text: 'BODY',
  html: 'BODY',
  filename: 'FULL',
  content: 'FULL',
  received: 'never',
}

const ENVELOPE: readonly Field[] = ['date', 'from', 'to', 'cc', 'subject', 'messageId']
const SOURCE: readonly Field[] = [...ENVELOPE, 'header', 'text', 'html', 'filename', 'content']

interface At {
  readonly folder: string
  readonly uidvalidity: number
  readonly uids: readonly number[]
}

interface Look {
  readonly name: string
  /** The level below which it refuses. */
  readonly needs: Level
  /** Of the fields, those that it would ever show. */
  readonly shows: readonly Field[]
  /** Fields that this one shows only among others of a higher level. */
  readonly later?: Partial<Readonly<Record<Field, Level>>>
  arguments(at: At): Readonly<Record<string, unknown>>
}

const one = ({ folder, uids: [uid], uidvalidity }: At) => ({ account: 'ada', folder, uid, uidvalidity })
const folderOf = ({ folder }: At) => ({ account: 'ada', folder })
const id = ({ folder, uidvalidity, uids }: At, which = 0) => `imap:ada:${folder}:${uidvalidity}:${uids[which]}`
const sink = { account: 'ada', folder: 'Sink' }

const POLICY: readonly Look[] = [
  { name: 'list_accounts', needs: 'NONE', shows: [], arguments: () => ({}) },
  { name: 'list_folders', needs: 'NONE', shows: [], arguments: () => ({ account: 'ada' }) },
  { name: 'describe_policy', needs: 'NONE', shows: [], arguments: () => ({}) },
  { name: 'get_caller_identity', needs: 'NONE', shows: [], arguments: () => ({}) },
  { name: 'get_transaction_status', needs: 'NONE', shows: [], arguments: () => ({ tx_id: 'none' }) },
  { name: 'folder_stats', needs: 'COUNT', shows: [], arguments: folderOf },
  { name: 'search', needs: 'METADATA', shows: [], arguments: folderOf },
  {
    name: 'list_messages',
    needs: 'METADATA',
    shows: ['size', 'flags', 'date', 'from', 'to', 'subject'],
    arguments: folderOf,
  },
  { name: 'fetch_envelope', needs: 'ENVELOPE', shows: ENVELOPE, arguments: one },
  { name: 'fetch_headers', needs: 'HEADERS', shows: [...ENVELOPE, 'header'], arguments: one },
  { name: 'fetch_body', needs: 'BODY', shows: ['text', 'html', 'filename'], arguments: one },
  { name: 'fetch_attachment', needs: 'FULL', shows: ['filename', 'content'], arguments: one },
  { name: 'mark_seen', needs: 'NONE', shows: ['flags'], arguments: (at) => ({ ...one(at), seen: true }) },
  {
    name: 'mark_tagged',
    needs: 'NONE',
    shows: ['flags'],
    arguments: (at) => ({ ...one(at), tags: ['later'], mode: 'add' }),
  },
  { name: 'copy', needs: 'NONE', shows: [], arguments: (at) => ({ source: one(at), target: sink }) },
  { name: 'move', needs: 'NONE', shows: [], arguments: (at) => ({ source: one(at), target: sink }) },
]

const IMAP: readonly Look[] = [
  { name: 'imap_list_accounts', needs: 'NONE', shows: [], arguments: () => ({}) },
  { name: 'imap_verify_account', needs: 'NONE', shows: [], arguments: () => ({ account_id: 'ada' }) },
  { name: 'imap_list_mailboxes', needs: 'NONE', shows: [], arguments: () => ({ account_id: 'ada' }) },
  {
    name: 'imap_search_messages',
    needs: 'METADATA',
    // A snippet is of what people see, which is the HTML.
    shows: ['flags', 'date', 'from', 'subject', 'html'],
    arguments: ({ folder }) => ({ account_id: 'ada', mailbox: folder, limit: 1, include_snippet: true }),
  },
  {
    name: 'imap_get_message',
    needs: 'ENVELOPE',
    shows: [...ENVELOPE, 'flags', 'header', 'text', 'html', 'filename'],
    later: { messageId: 'HEADERS' },
    arguments: (at) => ({ message_id: id(at, 1), include_all_headers: true, include_html: true }),
  },
  {
    name: 'imap_get_message_raw',
    needs: 'FULL',
    shows: ['size', ...SOURCE],
    arguments: (at) => ({ message_id: id(at, 1) }),
  },
  {
    name: 'imap_update_message_flags',
    needs: 'COUNT',
    shows: ['flags'],
    arguments: (at) => ({ message_id: id(at, 1), add_flags: ['\\Answered'] }),
  },
  {
    name: 'imap_copy_message',
    needs: 'COUNT',
    shows: [],
    arguments: (at) => ({ message_id: id(at, 1), destination_mailbox: 'Sink' }),
  },
  {
    name: 'imap_move_message',
    needs: 'COUNT',
    shows: [],
    arguments: (at) => ({ message_id: id(at, 1), destination_mailbox: 'Sink' }),
  },
  {
    name: 'imap_delete_message',
    needs: 'COUNT',
    shows: [],
    arguments: (at) => ({ message_id: id(at, 2), confirm: true }),
  },
]

const uri = ({ folder, uidvalidity, uids }: At) => `imap://ada/mailbox/${folder}/message/${uidvalidity}/${uids[3]}`

const RESOURCES: readonly (Omit<Look, 'arguments'> & { uri(at: At): string })[] = [
  {
    name: 'message',
    needs: 'ENVELOPE',
    shows: [...ENVELOPE, 'flags', 'text', 'html', 'filename'],
    later: { messageId: 'HEADERS' },
    uri,
  },
  { name: 'raw', needs: 'FULL', shows: SOURCE, uri: (at) => `${uri(at)}/raw` },
  { name: 'attachment', needs: 'FULL', shows: ['content'], uri: (at) => `${uri(at)}/attachment/2` },
]

interface Shelf {
  readonly level: Level
  readonly folder: Folder
  readonly canary: Canary
}

/** Each level twice: where every message has it, and where a rule says so. */
const SHELVES: readonly Shelf[] = LEVELS.flatMap((level, i) => {
  const name = level.toLowerCase()
  const rule =
    level === 'NONE' ? granting('R-NONE', 'elsewhere.example', 'FULL') : granting(`R-${level}`, 'example.com', level)
  return [
    { level, folder: { ...uniform(`U-${level}`, level), ...ALL_CAPABILITIES }, canary: canary(`u${name}`, 2 * i) },
    { level, folder: { ...rule, ...ALL_CAPABILITIES }, canary: canary(`r${name}`, 2 * i + 1) },
  ]
})

const reaches = (level: Level, needed: Level | 'never'): boolean =>
  needed !== 'never' && LEVELS.indexOf(level) >= LEVELS.indexOf(needed)

let stage: Stage
let agent: Agent
let client: Client
const places = new Map<string, At>()

beforeAll(async () => {
  const folders = [...SHELVES.map(({ folder }) => folder), uniform('Sink', 'NONE', { accept_incoming: true })]
  stage = await startStage({
    callers: { bot: { toolsets: ['policy', 'imap'] } },
    policies: { bot: { accounts: { ada: folders } } },
  })
  await stage.put('ada', 'Sink', [])
  for (const { folder, canary: message } of SHELVES) {
    const uids = await stage.put('ada', folder.path, [message, message, message, message])
    const uidvalidity = await uidvalidityOf(await stage.client('ada'), folder.path)
    places.set(folder.path, { folder: folder.path, uids, uidvalidity })
  }
  agent = await stage.as('bot')
  client = agent.postern.client
})
afterAll(() => stage.close())

const placeOf = ({ folder }: Shelf): At => {
  const place = places.get(folder.path)
  if (place === undefined) throw new Error('no such folder')
  return place
}

/** What is to be found in an answer: nothing of any other folder, of this one only what level and tool allow. */
function expectOnly(
  text: string,
  { shows, later = {} }: Pick<Look, 'shows' | 'later'>,
  shelf: Shelf,
  allowed: boolean,
): void {
  const all = unfolded(text)
  for (const other of SHELVES.filter((one) => one !== shelf)) expect(fieldsIn(all, other.canary)).toEqual([])
  const expected = shows.filter((field) => allowed && reaches(shelf.level, later[field] ?? SEEN_FROM[field]))
  expect(fieldsIn(all, shelf.canary).toSorted()).toEqual(expected.toSorted())
}

describe.each(SHELVES)('$folder.path', (shelf) => {
  test.each(POLICY)('$name', async (look) => {
    const answer = await agent.ask(look.name, look.arguments(placeOf(shelf)))
    const allowed = reaches(shelf.level, look.needs)
    // What a rule may still grant to other mail is not refused: it shows nothing.
    const open = allowed || (shelf.folder.path === 'R-NONE' && /^(folder_stats|search|list_messages)$/.test(look.name))
    expect([answer.decision, answer.error_type]).toEqual([open ? 'ALLOW' : 'DENY', undefined])
    if (!open && shelf.level !== 'NONE') expect(answer.reason).toBe(`visibility_below_${look.needs}`)
    expectOnly(JSON.stringify(answer), look, shelf, allowed)
  })

  test.each(IMAP)('$name', async (look) => {
    const asked = { name: look.name, arguments: look.arguments(placeOf(shelf)) }
    const answer = await client.callTool(asked).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: JSON.parse(JSON.stringify({ ...(error as object), message: String(error) })) }),
    )
    const allowed = reaches(shelf.level, look.needs)
    const open = allowed || (shelf.folder.path === 'R-NONE' && look.name === 'imap_search_messages')
    expect('result' in answer, JSON.stringify(answer)).toBe(open)
    if ('error' in answer) expect(answer.error.code).toBe(expectedCode(shelf, look))
    expectOnly(JSON.stringify(answer), look, shelf, allowed)
  })

  test.each(RESOURCES)('resource: $name', async (look) => {
    const at = placeOf(shelf)
    const answer = await client.readResource({ uri: look.uri(at) }).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: JSON.parse(JSON.stringify({ ...(error as object), message: String(error) })) }),
    )
    expect('result' in answer, JSON.stringify(answer)).toBe(reaches(shelf.level, look.needs))
    expectOnly(JSON.stringify(answer), look, shelf, reaches(shelf.level, look.needs))
  })
})

/** A message that is hidden is not there; one that shows too little says so; a folder of hidden mail cannot be searched. */
function expectedCode({ level }: Shelf, { name }: Look): number {
  return level === 'NONE' && name !== 'imap_search_messages' ? -32002 : -32602
}

describe.each(SHELVES.filter(({ level }) => level === 'NONE'))('$folder.path: hidden is as missing', (shelf) => {
  const MISSING = 4_000_000_000
  const outcome = async (answer: Promise<unknown>, uid: number): Promise<string> => {
    const error = await answer.then(
      () => {
        throw new Error('answered instead of refused')
      },
      ({ code, message, data }) => ({ code, message, data: { ...data, meta: undefined } }),
    )
    return JSON.stringify(error).replaceAll(new RegExp(`\\b${uid}\\b`, 'g'), 'uid')
  }
  const missing = (at: At): At => ({ ...at, uids: at.uids.map(() => MISSING) })

  test.each(IMAP.filter(({ name }) => /message(_raw|_flags)?$/.test(name)))('$name', async (look) => {
    const at = placeOf(shelf)
    const say = (where: At) => client.callTool({ name: look.name, arguments: look.arguments(where) })
    const uid = Number(String(look.arguments(at)['message_id']).split(':').at(-1))
    expect(await outcome(say(at), uid)).toEqual(await outcome(say(missing(at)), MISSING))
  })

  test.each(RESOURCES)('resource: $name', async (look) => {
    const at = placeOf(shelf)
    const say = (where: At) => client.readResource({ uri: look.uri(where) })
    expect(await outcome(say(at), at.uids[3] ?? 0)).toEqual(await outcome(say(missing(at)), MISSING))
  })
})

test('neither the log nor the record holds a word of any message', async () => {
  const written = unfolded(`${agent.postern.output.stderr}\n${await stage.audit()}`)
  expect(written.length).toBeGreaterThan(10_000)
  for (const { canary: message } of SHELVES) expect(fieldsIn(written, message)).toEqual([])
})
