/** Labels of an account over IMAP: flags and keywords under the names that people know. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { type Agent, ALL_CAPABILITIES, type Stage, startStage, uniform } from '../policy/stage.ts'
import { ADDRESS, type Arguments, inboxSpec, refusal, type Told, tell } from './answers.ts'

let stage: Stage
let agent: Agent
let uid: number
let validity: string

beforeAll(async () => {
  const spec = inboxSpec(['bot'])
  stage = await startStage({
    ...spec,
    callers: {
      ...spec.callers,
      ...Object.fromEntries(['seer', 'tagger', 'starrer', 'counter'].map((id) => [id, { toolsets: ['inbox'] }])),
    },
    policies: {
      ...spec.policies,
      seer: { accounts: { ada: [uniform('INBOX', 'FULL', { mark_seen: true })] } },
      tagger: { accounts: { ada: [uniform('INBOX', 'FULL', { mark_tagged: true })] } },
      counter: { accounts: { ada: [uniform('INBOX', 'COUNT', ALL_CAPABILITIES)] } },
      starrer: {
        accounts: {
          ada: [
            {
              ...{ path: 'INBOX', mode: 'whitelist', default: 'NONE', ...ALL_CAPABILITIES },
              rules: [
                { match: { flagged: true }, grant: 'FULL' },
                { match: { from_domain: 'example.org' }, grant: 'METADATA' },
              ],
            },
          ],
        },
      },
    },
  })
  agent = await stage.as('bot')
})
afterAll(() => stage.close())

beforeEach(async () => {
  ;[uid = 0] = await stage.put('ada', 'INBOX', [{ raw: letter({}), flags: ['kept'] }])
  const { imap } = await stage.client('ada')
  const status = await imap.status('INBOX', { uidValidity: true })
  validity = status === false ? '' : String(status.uidValidity)
})

const call = (args: Arguments): Arguments => ({
  account: ADDRESS,
  email_id: `imap:ada:INBOX:${validity}:${uid}`,
  ...args,
})
const change = (args: Arguments): Promise<Told> => tell(agent.postern.client, 'manage_labels', call(args))
const refused = (args: Arguments, by = agent) => refusal(by.postern.client, 'manage_labels', call(args))
const flags = async (): Promise<string[]> =>
  (await (await stage.client('ada')).flags('INBOX', uid)).filter((flag) => flag !== '\\Recent').toSorted()

test('a change, word for word', async () => {
  const { text, value } = await change({ add_labels: ['STARRED', 'Work'], remove_labels: ['UNREAD', 'kept'] })
  expect(text).toBe(
    [
      `Labels updated for email imap:ada:INBOX:${validity}:${uid}:`,
      'Added: STARRED, Work',
      'Removed: kept, UNREAD',
    ].join('\n'),
  )
  expect(value).toMatchObject({ added: ['STARRED', 'Work'], removed: ['kept', 'UNREAD'], labels: ['STARRED', 'Work'] })
  expect(await flags()).toEqual(['Work', '\\Flagged', '\\Seen'].toSorted())
})

test('unread is the absence of a flag', async () => {
  await change({ remove_labels: ['UNREAD'] })
  expect(await flags()).toEqual(['\\Seen', 'kept'])
  expect((await change({ add_labels: ['unread'] })).text).toContain('Added: unread')
  expect(await flags()).toEqual(['kept'])
})

test('important is a keyword of its own', async () => {
  expect((await change({ add_labels: ['IMPORTANT'] })).value['labels']).toEqual(['UNREAD', 'IMPORTANT', 'kept'])
  expect(await flags()).toEqual(['$Important', 'kept'])
})

test.each<[string, Arguments, RegExp]>([
  ['nothing to do', {}, /^at least one of/],
  ['the same in both', { add_labels: ['x'], remove_labels: ['X'] }, /the same label/],
  ['a folder', { add_labels: ['INBOX'] }, /are folders of this account/],
  ['a folder in small letters', { remove_labels: ['trash'] }, /are folders of this account/],
  ['a blank', { add_labels: ['a b'] }, /is a keyword/],
  ['a system flag', { add_labels: ['\\Deleted'] }, /are IMAP system flags/],
  ['a system flag that has a name', { add_labels: ['\\Seen'] }, /are IMAP system flags/],
  ['a system flag without its backslash', { add_labels: ['Seen'] }, /remove UNREAD to mark/],
  ['a star under the name of its flag', { add_labels: ['flagged'] }, /add STARRED/],
  ['other letters', { add_labels: ['größe'] }, /is a keyword/],
  ['a letter that looks like another', { add_labels: ['\u017ftarred'] }, /is a keyword/],
  ['a line break', { add_labels: ['a\r\nb'] }, /control characters/],
  ['one bad among good', { add_labels: ['good', 'b d'] }, /is a keyword/],
  ['an empty one', { add_labels: [''] }, /must not be empty/],
])('%s is refused and changes nothing', async (_what, args, message) => {
  expect(await refused(args)).toMatchObject({ code: -32602, message: expect.stringMatching(message) })
  expect(await flags()).toEqual(['kept'])
})

test('a label that is also a folder gets a hint, unless the policy hides that folder', async () => {
  await (await stage.client('ada')).seed('Receipts', [])
  const { text, value } = await change({ add_labels: ['receipts', 'Work'] })
  expect(text).toContain('Note: receipts: also the name of a folder')
  expect(value).toMatchObject({ added: ['receipts', 'Work'], hint: expect.stringContaining('was not moved') })
  expect(await flags()).toEqual(['Work', 'kept', 'receipts'])
  const tagger = await stage.as('tagger')
  const told = await tell(tagger.postern.client, 'manage_labels', call({ add_labels: ['Receipts'] }))
  expect(told.text).not.toContain('folder')
  expect(told.value).not.toHaveProperty('hint')
})

test('each label needs its own capability', async () => {
  const [seer, tagger] = [await stage.as('seer'), await stage.as('tagger')]
  const missing = (capability: string) => ({
    code: -32602,
    message: expect.stringContaining('capability_missing'),
    data: { details: { missing_capability: capability } },
  })
  expect(await refused({ add_labels: ['STARRED'] }, seer)).toMatchObject(missing('mark_tagged'))
  expect(await refused({ add_labels: ['x'], remove_labels: [' Unread '] }, tagger)).toMatchObject(missing('mark_seen'))
  expect(await flags()).toEqual(['kept'])
})

test('a star that would show more of it is denied', async () => {
  const starrer = await stage.as('starrer')
  expect(await refused({ add_labels: ['starred'] }, starrer)).toMatchObject({
    code: -32602,
    data: { details: { reason: 'visibility_would_rise' } },
  })
  expect(await flags()).toEqual(['kept'])
  const { text } = await tell(starrer.postern.client, 'manage_labels', call({ add_labels: ['later'] }))
  expect(text).toContain('Added: later')
})

test('who may not see flags is not told them', async () => {
  const counter = await stage.as('counter')
  const { value } = await tell(counter.postern.client, 'manage_labels', call({ add_labels: ['later'] }))
  expect(value).toEqual({ id: call({})['email_id'], added: ['later'], removed: [] })
})

test('a message that is not there is not found', async () => {
  const email_id = `imap:ada:INBOX:${validity}:99999`
  expect(await refused({ add_labels: ['x'], email_id })).toMatchObject({ code: -32001 })
})
