/** Mail that goes to another account is judged as it will be judged there. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { passwordFrom, type Stage, startStage } from '../policy/stage.ts'
import { contents } from './contents.ts'

let stage: Stage

beforeAll(async () => {
  const from = { mode: 'blacklist', default: 'METADATA', move_out: true, accept_incoming: true } as const
  const rules = [{ match: { authenticated: true }, grant: 'FULL' }]
  const starred = [{ match: { flagged: true }, grant: 'FULL' }]
  const into = { mode: 'whitelist', default: 'NONE', accept_incoming: true } as const
  stage = await startStage({
    users: ['ada', 'bob'],
    accounts: {
      ada: { user: 'ada', authserv_id: 'mx.ada.example', ...passwordFrom('ada') },
      bob: { user: 'bob', authserv_id: 'mx.bob.example', ...passwordFrom('bob') },
    },
    callers: { mover: { policy: 'mover' } },
    policies: {
      mover: {
        accounts: {
          ada: [{ path: 'INBOX', ...from, mark_tagged: true }],
          bob: [
            { path: 'Proven', ...into, rules },
            { path: 'Starred', ...into, rules: starred },
            { path: 'Archive', mode: 'blacklist', default: 'METADATA', accept_incoming: true },
          ],
        },
      },
    },
  })
  const { imap } = await stage.client('bob')
  for (const name of ['Proven', 'Starred', 'Archive']) await imap.mailboxCreate(name)
})
afterAll(() => stage.close())

const forged = (subject: string): string =>
  `Authentication-Results: mx.bob.example; dmarc=pass header.from=x.example\r\nFrom: a@x.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@x>\r\n\r\nbody\r\n`

test.each(['move', 'copy'])(
  '%s: by one or by several, a result that only the other server vouches for counts there',
  async (tool) => {
    const [uid = 0] = await stage.put('ada', 'INBOX', [forged(tool)])
    const mover = await stage.as('mover')
    const target = { account: 'bob', folder: 'Proven' }
    const one = await mover.ask(tool, { source: { account: 'ada', folder: 'INBOX', uid }, target })
    expect(one).toMatchObject({ decision: 'DENY', reason: 'visibility_would_rise' })
    const many = await mover.ask(tool, { source: { account: 'ada', folder: 'INBOX', uids: [uid] }, target })
    expect(many).toMatchObject({ results: [{ uid, result: 'DENY', reason: 'visibility_would_rise' }] })
  },
)

test('a message is moved once, however INBOX is spelled', async () => {
  const uids = await stage.put('ada', 'INBOX', ['one', 'two', 'three'].map(forged))
  const mover = await stage.as('mover')
  const target = { account: 'bob', folder: 'Archive' }
  const move = (folder: string): Promise<unknown> =>
    mover.ask('move', { source: { account: 'ada', folder, uids }, target })
  const answers = await Promise.all(['INBOX', 'inbox', 'Inbox', 'iNbOx'].map(move))
  type Told = { readonly results?: readonly { readonly tx_id: string | null }[] }
  // One that comes between another's question and its beginning is refused as a whole.
  const told = answers.map((answer) => (answer as Told).results ?? [])
  const known = new Set(told.flatMap((results) => results.map(({ tx_id }) => tx_id).filter((id) => id !== null)))
  expect(known.size).toBe(3)
  const there = await contents((await stage.client('bob')).imap, 'Archive')
  expect(there.map(({ subject }) => subject).toSorted()).toEqual(['one', 'three', 'two'])
})

test('a star that is put on meanwhile shows nothing', async () => {
  const body = `${'x'.repeat(998)}\r\n`.repeat(20)
  const letters = Array.from({ length: 300 }, (_, index) => forged(`star ${index}`) + body)
  const uids = await stage.put('ada', 'INBOX', letters)
  const mover = await stage.as('mover')
  const place = { account: 'ada', folder: 'INBOX' }
  const moving = mover.ask('move', { source: { ...place, uids }, target: { account: 'bob', folder: 'Starred' } })
  const mark = (uid: number | undefined): Promise<unknown> =>
    mover.ask('mark_tagged', { ...place, uid, tags: ['\\Flagged'], mode: 'add' })
  // One after the other, from the end: some of them are marked between the judgement and the fetching.
  for (let last = uids.length - 1; last > uids.length - 12; last -= 1) await mark(uids[last])
  await moving
  expect(await mover.ask('list_messages', { account: 'bob', folder: 'Starred' })).toMatchObject({ matched_visible: 0 })
  const there = await contents((await stage.client('bob')).imap, 'Starred')
  expect(there.filter(({ flags }) => flags.includes('\\Flagged'))).toEqual([])
})
