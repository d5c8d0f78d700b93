/**
 * An agent that may not read a field tries to guess it letter by letter, with every search there is, at the server and in
 * the local index. The answer to a right guess is the answer to a wrong one.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROGRAM, surroundings } from '../imap/postern.ts'
import { letter } from '../mail-source/messages.ts'
import { type Agent, type Folder, passwordFrom, type Stage, startStage, uniform } from './stage.ts'

/** Folders in which the message is readable, and in which only its size and flags are, or not even that it is there. */
const OPEN = 'Open'
const FOLDERS: readonly Folder[] = [
  uniform(OPEN, 'FULL'),
  uniform('Metadata', 'METADATA'),
  // By a rule, so that each message is judged.
  {
    path: 'Mixed',
    mode: 'blacklist',
    default: 'FULL',
    rules: [{ match: { from_domain: 'shop.example' }, cap: 'METADATA' }],
  },
  {
    path: 'Hidden',
    mode: 'whitelist',
    default: 'NONE',
    rules: [{ match: { from_domain: 'office.example' }, grant: 'FULL' }],
  },
]
const CLOSED = ['Metadata', 'Mixed', 'Hidden'] as const
/** What the agent knows already, and the rest. */
const KNOWN = '7'
const SECRET = `${KNOWN}zjq`
const ALPHABET = [...'zjqk']

const now = Math.floor(Date.now() / 1000)
const about = `${SECRET}.report`
const MAIL = [
  letter({ from: 'person@office.example', to: 'ada@home.example', subject: 'plain', body: 'nothing to see' }),
  letter({ from: `${about}@shop.example`, to: `${about}@home.example`, subject: about, body: `${about} enclosed` }),
  letter({ from: 'person@office.example', to: 'ada@home.example', subject: 'later', body: 'still nothing' }),
]

type Arguments = Readonly<Record<string, unknown>>
type Oracle = readonly [name: string, caller: string, tool: string, args: (at: Place, guess: string) => Arguments]

interface Place {
  readonly account: string
  readonly folder: string
}

const byCriteria =
  (criteria: (guess: string) => object, more: object = {}) =>
  (at: Place, guess: string): Arguments => ({ ...at, criteria: criteria(guess), ...more })
const byQuery =
  (query: (guess: string) => string) =>
  (at: Place, guess: string): Arguments => ({ ...at, query: query(guess) })
const byField =
  (field: string, more: object = {}) =>
  ({ account, folder }: Place, guess: string): Arguments => ({
    account_id: account,
    mailbox: folder,
    [field]: guess,
    ...more,
  })
/** In the folder alone, as the tool looks into all of them. */
const inFolder =
  (query: (guess: string) => string) =>
  ({ account, folder }: Place, guess: string): Arguments => ({ account, query: `in:${folder} (${query(guess)})` })

/** Each of them tells a right guess from a wrong one where the message can be read. */
const ORACLES: readonly Oracle[] = [
  ['subject', 'both', 'search', byCriteria((guess) => ({ subject_contains: guess }))],
  ['subject, and size', 'both', 'search', byCriteria((guess) => ({ subject_contains: guess, size_gt: 1 }))],
  ['recipient', 'both', 'search', byCriteria((guess) => ({ to_contains: guess }))],
  ['subject, listed', 'both', 'list_messages', byCriteria((guess) => ({ subject_contains: guess }))],
  ['subject, counted', 'both', 'search', byCriteria((guess) => ({ subject_contains: guess }), { offset: 50 })],
  ['query', 'both', 'search', byQuery((guess) => `subject:${guess}*`)],
  ['negation', 'both', 'search', byQuery((guess) => `-subject:${guess}*`)],
  ['double negation', 'both', 'search', byQuery((guess) => `-(is:unread -subject:${guess}*)`)],
  ['alternative', 'both', 'search', byQuery((guess) => `subject:${guess}* OR larger:1000000`)],
  ['negated alternative', 'both', 'search', byQuery((guess) => `-(subject:${guess}* OR larger:1000000)`)],
  ['body', 'both', 'search', byQuery((guess) => `body:${guess}*`)],
  ['negated body', 'both', 'list_messages', byQuery((guess) => `-body:${guess}*`)],
  ['bare word', 'both', 'search', byQuery((guess) => `${guess}*`)],
  ['negated bare word', 'both', 'search', byQuery((guess) => `-${guess}*`)],
  ['IMAP subject', 'both', 'imap_search_messages', byField('subject')],
  ['IMAP recipient', 'both', 'imap_search_messages', byField('to', { limit: 1 })],
  ['IMAP text', 'both', 'imap_search_messages', byField('query', { include_snippet: true })],
  ['outbox search', 'sender', 'search_email', inFolder((guess) => `subject:${guess}*`)],
  ['outbox search, negated', 'sender', 'search_email', inFolder((guess) => `-subject:${guess}*`)],
]

let stage: Stage

beforeAll(async () => {
  const folders = FOLDERS
  const limits = { per_minute: 100_000, per_hour: 100_000 }
  stage = await startStage({
    users: ['ada', 'bob'],
    accounts: { bob: { user: 'bob', mirror: 'full', ...passwordFrom('bob') } },
    callers: {
      both: { policy: 'bot', toolsets: ['policy', 'imap'], limits },
      sender: { policy: 'bot', toolsets: ['outbox'], limits },
      reader: { policy: 'bot', toolsets: ['inbox'] },
    },
    policies: { bot: { accounts: { ada: folders, bob: folders } } },
  })
  for (const user of ['ada', 'bob']) {
    for (const { path } of FOLDERS) {
      const dated = MAIL.map((raw, at) => ({ raw, received: now - (10 - at) * 3600 }))
      await stage.put(user, path, dated)
    }
  }
  await promisify(execFile)(process.execPath, [PROGRAM, 'sync', '--config', stage.tree], {
    env: surroundings({}, stage.dataDir),
  })
})
afterAll(() => stage.close())

/** All that the agent is told, but for the guess that it wrote itself and how long the call took. */
async function told(agent: Agent, tool: string, args: Arguments, guess: string): Promise<string> {
  const { client } = agent.postern
  const answer = await client.callTool({ name: tool, arguments: { ...args } }).catch(({ code, message }) => {
    return { code, message }
  })
  return JSON.stringify('structuredContent' in answer ? answer.structuredContent : answer)
    .replaceAll(/"(now_utc|duration_ms|next_cursor|cursor)":("[^"]*"|[0-9]+)/g, '')
    .replaceAll(new RegExp(`(?<=[":\\s(-])${guess}(?=[*"\\\\])`, 'g'), '?')
}

/** As much of the secret as the answers give away, one letter after the other. */
async function guessed([, caller, tool, args]: Oracle, at: Place): Promise<string> {
  const agent = await stage.as(caller)
  let known = KNOWN
  while (known.length < SECRET.length) {
    const answers = new Map<string, string[]>()
    for (const next of ALPHABET) {
      const answer = await told(agent, tool, args(at, known + next), known + next)
      answers.set(answer, [...(answers.get(answer) ?? []), next])
    }
    const odd = [...answers.values()].filter((letters) => letters.length === 1).flat()
    if (answers.size === 1 || odd.length !== 1) return known
    known += odd[0]
  }
  return known
}

describe.each([
  ['at the server', 'ada'],
  ['in the local index', 'bob'],
])('%s', (_where, account) => {
  test.each(ORACLES)('%s: a field that cannot be read cannot be guessed', async (...oracle) => {
    expect(await guessed(oracle, { account, folder: OPEN })).toBe(SECRET)
    for (const folder of CLOSED) expect(await guessed(oracle, { account, folder }), folder).toBe(KNOWN)
  })

  test('what has no criteria still counts what is hidden', async () => {
    const agent = await stage.as('both')
    const answer = await agent.ask('search', { account, folder: 'Hidden' })
    expect(answer).toMatchObject({ matched_total: 3, matched_visible: 2, filtered_out: 1 })
    const size = await agent.ask('search', { account, folder: 'Hidden', criteria: { size_gt: 1 } })
    expect(size).toMatchObject({ matched_total: 2, matched_visible: 2, filtered_out: 0 })
    const metadata = await agent.ask('search', { account, folder: 'Mixed', criteria: { size_gt: 1 } })
    expect(metadata).toMatchObject({ matched_total: 3, matched_visible: 3, filtered_out: 0 })
  })

  test('neither a criterion on what cannot be read nor its opposite matches', async () => {
    const agent = await stage.as('both')
    const opposites = [
      [{ criteria: { has_attachment: true } }, { criteria: { has_attachment: false } }],
      [{ criteria: { newer_than: '1d' } }, { criteria: { older_than: '1d' } }],
      [{ query: 'has:attachment' }, { query: '-has:attachment' }],
      [{ query: 'newer_than:1d' }, { query: '-newer_than:1d' }],
      [{ query: 'subject:plain OR -subject:plain' }, { query: '-(subject:plain -subject:plain)' }],
    ]
    for (const asked of opposites.flat()) {
      const nothing = { uids: [], matched_total: 0, matched_visible: 0, filtered_out: 0 }
      expect(await agent.ask('search', { account, folder: 'Metadata', ...asked })).toMatchObject(nothing)
    }
  })

  test('the inbox set answers a right guess as a wrong one', async () => {
    const agent = await stage.as('reader')
    // Few, since the set bounds its searches.
    for (const query of [(guess: string) => `in:Mixed -subject:${guess}*`, (guess: string) => `in:Mixed ${guess}*`]) {
      const answers = ['7z', '7k'].map((guess) => told(agent, 'search_emails', { account, query: query(guess) }, guess))
      const [right, wrong] = await Promise.all(answers)
      expect(right).toBe(wrong)
      expect(right).not.toContain('rate')
    }
  })
})
