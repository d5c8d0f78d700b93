/** A Gmail account that is kept on this machine too: synced by command, asked by an agent, forgotten. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { type Agent, type ProgramScene, startProgramScene } from './program-scene.ts'
import { ADDRESS } from './scene.ts'

const SUBJECTS = ['apples', 'pears', 'plums']
let scene: ProgramScene
let ids: string[]

beforeAll(async () => {
  scene = await startProgramScene({ account: { mirror: 'full' } })
  ids = []
  for (const [index, subject] of SUBJECTS.entries()) ids.push(await put(subject, 1_700_000_000 + index * 1000))
})
afterAll(() => scene.close())

function put(subject: string, received?: number): Promise<string> {
  const body = `The word of this one is quince${subject}.`
  const raw = letter({
    subject,
    body,
    from: 'Cleo <cleo@example.com>',
    to: ADDRESS,
    messageId: `<${subject}@x.example>`,
  })
  return scene.deliver(raw, received === undefined ? {} : { received })
}

async function found(agent: Agent, query: string): Promise<unknown> {
  const { value } = await agent.say('search_emails', { account: 'g', query })
  const { emails, coverage } = value as { emails: { id: string }[]; coverage: { source: string; complete: boolean } }
  expect(coverage).toMatchObject({ source: 'mirror', complete: true })
  return emails.map(({ id }) => id)
}

test('synced once, it answers, follows what others do, and leaves nothing behind', async () => {
  const synced = await scene.postern('sync')
  expect(synced).toMatchObject({ code: 0 })
  const agent = await scene.agent('inbox,outbox')
  expect(await found(agent, 'quinceplums')).toEqual([ids[2]])
  expect(await found(agent, 'from:cleo')).toEqual(ids.toReversed())
  const bodies = (): number => scene.proxy.requests.filter((line) => line.includes('format=raw')).length
  const before = bodies()
  expect(await found(agent, 'subject:pears')).toEqual([ids[1]])
  expect(bodies()).toBe(before)
  expect((await agent.say('read_email', { account: 'g', email_id: ids[0] })).value).toMatchObject({ subject: 'apples' })

  await scene.elsewhere(`messages/${ids[0]}/modify`, { addLabelIds: ['STARRED'], removeLabelIds: ['UNREAD'] })
  await scene.elsewhere(`messages/${ids[1]}/trash`)
  await scene.elsewhere(`messages/${ids[2]}`, {}, 'DELETE')
  const late = await put('cherries')
  const label = await scene.createLabel('Fruit')
  await scene.elsewhere(`messages/${late}/modify`, { addLabelIds: [label] })
  expect(await found(agent, 'is:starred')).toEqual([ids[0]])
  expect(await found(agent, 'is:unread from:cleo')).toEqual([late])
  expect(await found(agent, 'quinceplums')).toEqual([])
  expect(await found(agent, 'quincecherries')).toEqual([late])
  const { value } = await agent.say('list_emails', { account: 'g', folder: 'Fruit' })
  expect(value).toMatchObject({ emails: [{ id: late }], coverage: { complete: true } })
  // What leaves is seen as well, by the name that Gmail has given it.
  const args = { to: 'bob@example.com', subject: 'Compote', body: 'quincecompote' }
  const { value: waiting } = await agent.say('send_email', args)
  expect(await scene.postern('approve', String(waiting['id']), '--yes')).toMatchObject({ code: 0 })
  const sent = await agent.say('send_email', args)
  expect(await found(agent, 'quincecompote')).toEqual([sent.value['message_id']])
  await agent.close()
})

test('forget removes the mail and its uids, and what comes after counts anew', async () => {
  const before = await idOfOne()
  expect(before).toMatch(/^imap:g:INBOX:\d+:\d+$/)
  expect(await textKept('quinceapples')).toBe(true)
  expect(await textKept(ids[0] ?? '')).toBe(true)
  const forgotten = await scene.postern('forget', 'g', '--yes')
  expect(forgotten).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Removed all that was kept of account g: /),
  })
  for (const trace of ['quinceapples', 'cleo@example.com', ...ids]) expect(await textKept(trace)).toBe(false)
  const after = await idOfOne()
  expect(after.split(':').slice(0, 3)).toEqual(['imap', 'g', 'INBOX'])
  expect(Number(after.split(':')[3])).toBeGreaterThan(Number(before.split(':')[3]))
  const agent = await scene.agent('imap')
  await expect(agent.say('imap_get_message', { message_id: before })).rejects.toMatchObject({
    data: { code: 'conflict' },
  })
  expect((await agent.say('imap_get_message', { message_id: after })).text).toContain('apples')
})

async function idOfOne(): Promise<string> {
  const agent = await scene.agent('imap')
  const search = { account_id: 'g', mailbox: 'INBOX', subject: 'apples' }
  const { value } = await agent.say('imap_search_messages', search)
  await agent.close()
  return (value as { data: { messages: { message_id: string }[] } }).data.messages[0]?.message_id ?? ''
}

/** Whether the words stand anywhere in what is kept of mail. */
async function textKept(words: string): Promise<boolean> {
  for (const folder of ['mirror', 'gmail']) {
    const names = await readdir(join(scene.data, folder)).catch(() => [])
    for (const name of names) {
      const path = join(scene.data, folder, name)
      if ((await stat(path)).isFile() && (await readFile(path)).includes(words)) return true
    }
  }
  return false
}
