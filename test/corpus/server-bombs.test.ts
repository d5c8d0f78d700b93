/** The recipes of `generated_bombs.json` about mail servers that lie: every call ends, and the program lives on. */
import { ProtocolError } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeServer, startFake } from '../imap/fake-server.ts'
import { messageId } from '../imap/harness.ts'
import { account, type Postern, startPostern } from '../imap/postern.ts'
import { expectSound, severalAtOnce } from './live.ts'
import { bombRecipes, hasCorpus } from './mail.ts'

const there = hasCorpus()
const sizesOf = (id: string): readonly number[] =>
  (there ? bombRecipes() : []).find((recipe) => recipe.id === id)?.N ?? []

/** How long our server may be silent: the recipes stall on purpose. */
const SILENCE_MS = 3000
const MANNERS = ['stalls', 'sends less', 'sends more'] as const
const MOST_SENT = 2_000_000
const LITERALS = sizesOf('imap-literal').flatMap((size) => MANNERS.map((manner) => ({ size, manner })))

/** Made beforehand: a server that first has to count is silent for too long. */
const FOUND = new Map(sizesOf('imap-search').map((size) => [size, `* SEARCH ${sequence(size).join(' ')}\r\n`]))

/** What the server says to a command that is about a recipe; the uid, the mailbox or the word searched for names it. */
function answer(line: string): string {
  const [, tag = '', command = ''] = /^(\S+) (.*)$/.exec(line) ?? []
  const done = `${tag} OK done\r\n`
  if (/^EXAMINE/.test(command)) return `* 1 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 2000000] ok\r\n${done}`
  if (/^CAPABILITY/.test(command)) return `* CAPABILITY IMAP4rev1 LITERAL+\r\n${done}`
  const [, uid, items = ''] = /^UID FETCH (\d+) (.*)$/.exec(command) ?? []
  if (/BODYSTRUCTURE/.test(items)) return structure(Number(uid)) + done
  if (/BODY.PEEK\[\]/.test(items)) return literal(Number(uid), done)
  if (uid !== undefined) return `* 1 FETCH (UID ${uid})\r\n${done}`
  const [, found] = /^UID SEARCH .*uids-(\d+)/.exec(command) ?? []
  return found === undefined ? done : `${FOUND.get(Number(found))}${done}`
}

function literal(uid: number, done: string): string {
  const { size, manner } = LITERALS[uid - 1] ?? { size: 0, manner: 'stalls' }
  const head = `* 1 FETCH (UID ${uid} RFC822.SIZE 9 BODY[]<0> {${BigInt(size)}}\r\n`
  const sent = Math.min(size, MOST_SENT)
  if (manner === 'stalls') return head + 'x'.repeat(Math.floor(sent / 2))
  return `${head}${'x'.repeat(manner === 'sends less' ? Math.floor(sent / 2) : sent + 10)})\r\n${done}`
}

function structure(depth: number): string {
  const body = `${'('.repeat(depth)}"text" "plain" NIL NIL NIL "7bit" 5 1${') "mixed"'.repeat(depth - 1)})`
  return `* 1 FETCH (UID ${depth} FLAGS () INTERNALDATE "01-Jan-2024 00:00:00 +0000" RFC822.SIZE 9 BODYSTRUCTURE ${body} BODY[HEADER]<0> {2}\r\n\r\n)\r\n`
}

function mailboxes(size: number, many: boolean): string {
  const names = many ? sequence(size).map((index) => `box${index}`) : ['n'.repeat(size)]
  return names.map((name) => `* LIST () "/" ${name}\r\n`).join('')
}

function sequence(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

describe.skipIf(!there)('a server that lies', () => {
  let server: FakeServer
  let postern: Postern
  let listing = ''
  beforeAll(async () => {
    server = await startFake('* OK [CAPABILITY IMAP4rev1 LITERAL+] hello\r\n', (line) =>
      /^\S+ LIST "" "?\*/.test(line) ? `${listing}${line.split(' ')[0]} OK done\r\n` : answer(line),
    )
    postern = await startPostern({
      ...account('default', server.port, 'ada'),
      MAIL_IMAP_SOCKET_TIMEOUT_MS: String(SILENCE_MS),
    })
  })
  afterAll(async () => {
    await postern.close()
    await server.close()
  })

  /** `ok`, `partial`, what failed, or what was refused. */
  async function outcome(tool: string, args: object): Promise<string> {
    try {
      const { structuredContent } = await postern.client.callTool({
        name: tool,
        arguments: { account_id: 'default', ...args },
      })
      const { data } = structuredContent as { data: { status: string; issues: { code: string; message: string }[] } }
      return [data.status, ...data.issues.map(({ code, message }) => `${code} ${message}`)].join(': ')
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      return `refused: ${error.message}`
    }
  }

  test('about the length of a literal', async () => {
    const outcomes: string[] = []
    await severalAtOnce(6, LITERALS, async (_lie, index) => {
      outcomes[index] = await outcome('imap_get_message_raw', { message_id: messageId('INBOX', 7, index + 1) })
    })
    const told = LITERALS.map(({ size, manner }, index) => `${size} ${manner}: ${outcomes[index]}`)
    expect(told.filter((line) => !/: (?:ok$|failed: \w+ \S)/.test(line))).toEqual([])
    expect(told.filter((line) => /^[1-9]\d{6,}.*: ok/.test(line))).toEqual([])
  })

  test.each(
    sizesOf('imap-list').flatMap((size) => [
      { size, many: true },
      { size, many: false },
    ]),
  )('with a list of mailboxes of $size (many: $many)', async ({ size, many }) => {
    listing = mailboxes(size, many)
    expect(await outcome('imap_list_mailboxes', {})).toMatch(/^(?:ok|partial|failed: \w+ \S)/)
    listing = ''
  })

  test.each(sizesOf('imap-search'))('with %d messages found', async (size) => {
    const told = await outcome('imap_search_messages', { mailbox: 'INBOX', query: `uids-${size}` })
    expect(told).toMatch(size > 20_000 ? /^refused: .*1000000/ : /^(?:ok|partial|failed: \w+ \S)/)
  })

  test.each(sizesOf('imap-bodystructure'))('with a structure nested %d deep', async (depth) => {
    const told = await outcome('imap_get_message', { message_id: messageId('INBOX', 7, depth) })
    expect(told).toMatch(/^(?:ok|partial|failed: \w+ \S)/)
  })

  test('the program is sound afterwards', async () => {
    await expectSound({ postern })
  })
})
