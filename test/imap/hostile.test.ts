/** Hostile text in every string argument of every tool: nothing on the server changes, no command is smuggled in. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { at, letter } from '../mail-source/messages.ts'
import { type Stage, startStage } from './harness.ts'
import type { Arguments } from './postern.ts'

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/generated_arguments.json')

const OWN = [
  ...[
    '"',
    '\\',
    '\\"',
    '{5}',
    '{5+}',
    '{0}',
    '~{5}',
    '{5}\r\nhello',
    '{5+}\r\nhello',
    '\r\n',
    '\n',
    '\r',
    '\0',
    'x\0y',
  ],
  ...['x\r\nA1 DELETE Archive', 'x"\r\nA1 LOGOUT', 'x\nA2 STORE 1:* +FLAGS (\\Deleted)\n', 'INBOX\r\nA3 EXPUNGE\r\n'],
  ...[
    '" ALL',
    'x" OR ALL "',
    ') ALL (',
    '1:*',
    '*',
    '%',
    'NIL',
    'ALL',
    '()',
    '(\\Deleted)',
    '\\Seen \\Deleted',
    '\\Seen) (\\Deleted',
  ],
  ...[
    '\u2028',
    '\u2029',
    '\u0085A1 NOOP',
    '\u200b',
    '\u202eXOBNI',
    '\ud800',
    'a\udc00',
    '\uffff',
    '＂',
    '\u010d\u010aA1 NOOP',
  ],
  ...[
    '&',
    '&-',
    '&AOQ',
    '&AA0ACg-A1 NOOP',
    '+AAA-',
    '../../etc/passwd',
    '..',
    '.',
    '/',
    '//',
    '~root',
    '%0d%0aA1%20NOOP',
  ],
  ...[
    'x'.repeat(255),
    'ü'.repeat(256),
    'x'.repeat(100_000),
    '__proto__',
    'constructor',
    '$HOME',
    '`id`',
    '$(id)',
    "'; drop table",
  ],
  ...['imap:default:INBOX:1:1', 'imap:default:INBOX\r\nA1 NOOP:1:1', 'imap:default:" "\\:1:1', 'imap:default:{5}:1:1'],
]

const SEARCH = { mailbox: 'INBOX' }
const ID = 'imap:default:INBOX:1:1'
/** Each string argument of each tool, and what goes with it. */
const PLACES: [tool: string, argument: string, rest: Arguments][] = [
  ...['account_id', 'mailbox', 'cursor', 'query', 'from', 'to', 'subject', 'start_date', 'end_date'].map(
    (name): [string, string, Arguments] => ['imap_search_messages', name, SEARCH],
  ),
  ['imap_verify_account', 'account_id', {}],
  ['imap_list_mailboxes', 'account_id', {}],
  ...[
    ['imap_get_message', {}],
    ['imap_get_message_raw', {}],
    ['imap_update_message_flags', { add_flags: ['\\Deleted'] }],
    ['imap_copy_message', { destination_mailbox: 'Archive' }],
    ['imap_move_message', { destination_mailbox: 'Archive' }],
    ['imap_delete_message', { confirm: true }],
  ].flatMap(([tool, rest]): [string, string, Arguments][] => [
    [String(tool), 'message_id', Object(rest)],
    [String(tool), 'account_id', { message_id: ID, ...Object(rest) }],
  ]),
]
/** These change something when the text is a good one, so they are given a message that is there. */
const WRITING: [tool: string, argument: string][] = [
  ['imap_copy_message', 'destination_mailbox'],
  ['imap_copy_message', 'destination_account_id'],
  ['imap_move_message', 'destination_mailbox'],
  ['imap_update_message_flags', 'add_flags'],
  ['imap_update_message_flags', 'remove_flags'],
]

let stage: Stage
let id: string

beforeAll(async () => {
  stage = await startStage()
  const received = at('2024-01-01T00:00:00Z')
  ;[id = ''] = await stage.put('INBOX', [
    { raw: letter({ subject: 'one' }), received },
    { raw: letter({ subject: 'two' }), received },
  ])
  await stage.put('Archive', [{ raw: letter({ subject: 'kept' }), flags: ['\\Flagged'], received }])
})
afterAll(() => stage.close())

function strings(): string[] {
  if (!existsSync(CORPUS)) {
    console.warn('no corpus beside the project: only our own list of hostile texts is tried')
    return OWN
  }
  const corpus: Record<string, unknown> = JSON.parse(readFileSync(CORPUS, 'utf8'))
  const found = ['imap_mailbox', 'imap_search', 'flags', 'message_ids', 'recipients'].flatMap((name) =>
    stringsIn(corpus[name]),
  )
  return [...new Set([...OWN, ...found])]
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

const GOOD_FLAG = /^(\\(seen|answered|flagged|draft|deleted)|[!#$&'+,./0-9:;<=>?@A-Z[^_`a-z|}~-]{1,100})$/i

function calls(): [tool: string, args: Arguments][] {
  const texts = strings()
  const reading = PLACES.flatMap(([tool, argument, rest]) =>
    texts.map((text): [string, Arguments] => [tool, { ...LEAST(tool), ...rest, [argument]: text }]),
  )
  const writing = WRITING.flatMap(([tool, argument]) =>
    texts
      .filter((text) => !argument.endsWith('flags') || !GOOD_FLAG.test(text))
      .map((text): [string, Arguments] => [
        tool,
        { ...LEAST(tool), message_id: id, [argument]: argument.endsWith('flags') ? [text] : text },
      ]),
  )
  return [...reading, ...writing]
}

const LEAST = (tool: string): Arguments => (/copy|move/.test(tool) ? { destination_mailbox: 'No such mailbox' } : {})

/** Everything that another mail program can see. */
async function everything(): Promise<unknown> {
  const { imap } = stage.ada
  const mailboxes = await imap.list()
  const seen = []
  for (const { path } of mailboxes.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const { exists, uidValidity, uidNext } = await imap.mailboxOpen(path)
    const messages =
      exists === 0 ? [] : await imap.fetchAll('1:*', { uid: true, flags: true, internalDate: true, size: true })
    const shown = messages.map(({ uid, flags, internalDate, size }) => {
      const lasting = [...(flags ?? [])].filter((flag) => flag !== '\\Recent').sort()
      return [uid, lasting, internalDate, size]
    })
    seen.push([path, exists, uidValidity, uidNext, shown])
  }
  return seen
}

test('all of it is answered, and changes nothing', async () => {
  const before = await everything()
  const todo = calls()
  const worker = async (): Promise<void> => {
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) await stage.postern.attempt(...next)
  }
  await Promise.all(Array.from({ length: 12 }, worker))
  expect(await everything()).toEqual(before)
  expect(stage.postern.output.stdout).not.toContain('NOT A MESSAGE')
  expect((await stage.postern.call('imap_search_messages', SEARCH)).data.total).toBe(2)
})

/** What may be sent once logged in; the numbers of the commands are ours and only grow. */
const COMMAND =
  /^(?:p\d+ (?:NOOP|LIST|EXAMINE|SELECT|APPEND|UID (?:FETCH|SEARCH|SORT|STORE|COPY|MOVE))|z LOGOUT)(?: |$)/
/** The library's own words until then. */
const LOGIN = /^(?:\w+ (?:CAPABILITY|AUTHENTICATE PLAIN|LOGIN|ID|NAMESPACE|ENABLE)(?: |$)|[A-Za-z0-9+/]+=*$)/

test('on the wire there are only commands of our own making', () => {
  for (const conversation of stage.proxy.conversations()) {
    const commands = commandsIn(conversation)
    const begun = (commands.findIndex((command) => command.startsWith('p1 ')) + 1 || commands.length + 1) - 1
    expect(commands.slice(0, begun).filter((command) => !LOGIN.test(command))).toEqual([])
    const ours = commands.slice(begun)
    expect(ours.filter((command) => !COMMAND.test(command))).toEqual([])
    const numbers = ours
      .filter((command) => command.startsWith('p'))
      .map((command) => Number(/^p(\d+)/.exec(command)?.[1]))
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  }
})

/** Commands as a server reads them: a literal is as long as it says, whatever is in it. */
function commandsIn(bytes: string): string[] {
  const commands: string[] = []
  let command = ''
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n', at)
    if (end === -1) break
    command += bytes.slice(at, end)
    at = end + 2
    const literal = /\{(\d+)\+?\}$/.exec(command)
    if (literal === null) {
      commands.push(command)
      command = ''
    } else {
      at += Number(literal[1])
      command += '…'
    }
  }
  return commands
}
