/** From a letter that an agent writes to one that has arrived: with a person between the two. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeUnstructured, firstField } from '../../src/core/mime/header.ts'
import { parseStructure } from '../../src/core/mime/structure.ts'
import { decodeTransfer } from '../../src/core/mime/transfer.ts'
import { letter } from '../mail-source/messages.ts'
import { ADDRESS, type Agent, type Scene, startScene } from './scene.ts'

let scene: Scene
let agent: Agent

beforeAll(async () => {
  scene = await startScene()
  agent = await scene.agent()
})

afterAll(() => scene.close())

const LETTER = { to: 'Bob <bob@example.com>', subject: 'Lunch on Friday', body: 'Shall we say noon?' }

test('a letter waits for a person, and leaves once, as it was, when it was approved', async () => {
  const first = await agent.say('send_email', LETTER)
  expect(first.isError).toBe(true)
  expect(first.text).toMatch(
    /^Rejected: No matching approval file found in vault\/Approved\/ for sending to b\*\*\*@example\.com\. Create an approval file with type: email_send and move it to vault\/Approved\/\. That is for a person to do, not for you: .* Waiting: vault\/Pending_Approval\/(\S+)\.md\.$/,
  )
  const [file = ''] = await scene.files('Pending_Approval')
  expect(await scene.read('Pending_Approval', file)).toContain('Lunch on Friday')
  // Asked again, it is the same letter.
  expect(await agent.say('send_email', LETTER)).toEqual(first)
  expect(await scene.files('Pending_Approval')).toEqual([file])
  expect(scene.sink.messages).toEqual([])

  await scene.postern('outbox')
  const listed = await scene.postern('outbox')
  expect(listed.stdout).toContain('bob@example.com')
  await scene.move(file, 'Pending_Approval', 'Approved').catch(async () => {
    throw new Error(`there is no folder to move it to: ${await scene.files('.')}`)
  })
  const sent = await agent.say('send_email', LETTER)
  expect(sent).toMatchObject({
    isError: false,
    text: expect.stringMatching(/^Email sent successfully\. Message ID: \S+ Thread ID: \S+$/),
  })
  expect(scene.sink.messages).toHaveLength(1)
  expect(scene.sink.messages[0]).toMatchObject({ from: ADDRESS, recipients: ['bob@example.com'] })
  expect(await scene.files('Done')).toEqual([file])
  expect(await scene.files('Approved')).toEqual([])
  expect(await scene.ada.imap.status('Sent', { messages: true })).toMatchObject({ messages: 1 })

  // What was used is used, and whoever asks again is told that it has left already.
  const again = await agent.say('send_email', LETTER)
  expect(again.text).toMatch(/^Rejected: already sent \(/)
  expect(again.text).toContain(file.replace('.md', ''))
  expect(await scene.files('Pending_Approval')).toEqual([])
  expect(scene.sink.messages).toHaveLength(1)
})

test('postern approve and reject say yes and no', async () => {
  const one = { ...LETTER, subject: 'Approve me' }
  const waiting = await agent.say('send_email', one)
  const id = /Pending_Approval\/(\S+)\.md/.exec(waiting.text)?.[1] ?? ''
  const shown = await scene.postern('outbox', id)
  expect(shown.stdout).toContain('Shall we say noon?')
  expect(await scene.postern('approve', id)).toMatchObject({ code: 1 })
  expect(await scene.postern('approve', id, '--yes')).toMatchObject({ code: 0 })
  const before = scene.sink.messages.length
  expect((await agent.say('send_email', one)).text).toMatch(/^Email sent successfully/)
  expect(scene.sink.messages).toHaveLength(before + 1)

  const other = { ...LETTER, subject: 'Reject me' }
  const refused = await agent.say('send_email', other)
  const otherId = /Pending_Approval\/(\S+)\.md/.exec(refused.text)?.[1] ?? ''
  expect(await scene.postern('reject', otherId, '--reason', 'not now')).toMatchObject({ code: 0 })
  expect((await agent.say('send_email', other)).text).toMatch(/^Rejected: .*not now/)
  expect(scene.sink.messages).toHaveLength(before + 1)
})

test('a letter in another script leaves and is read as it was written', async () => {
  const written = { ...LETTER, subject: 'Обед в пятницу', body: 'Здравствуйте!\nВстретимся в полдень?' }
  const waiting = await agent.say('send_email', written)
  const id = /Pending_Approval\/(\S+)\.md/.exec(waiting.text)?.[1] ?? ''
  expect(await scene.postern('approve', id, '--yes')).toMatchObject({ code: 0 })
  expect((await agent.say('send_email', written)).text).toMatch(/^Email sent successfully/)
  const bytes = scene.sink.messages.at(-1)?.bytes ?? Buffer.alloc(0)
  const { header, root } = parseStructure(bytes)
  const text = new TextDecoder().decode(decodeTransfer(bytes.subarray(root.start, root.end), root.encoding))
  expect(decodeUnstructured(firstField(header, 'subject') ?? '')).toBe(written.subject)
  expect(text.replaceAll('\r\n', '\n')).toBe(`${written.body}\n`)
})

test('an answer goes to whom the message says, with its thread and its text', async () => {
  const original = letter({
    subject: 'Plans',
    from: 'Cleo <cleo@example.com>',
    to: ADDRESS,
    body: 'What about May?',
    messageId: '<plans@example.com>',
    extra: ['Reply-To: cleo.home@example.com'],
  })
  await scene.ada.seed('INBOX', [{ raw: original }])
  const found = await agent.say('search_email', { query: 'subject:Plans' })
  expect(found.text).toMatch(
    /^Found 1 email matching "subject:Plans":\n\n1\. From: .*cleo@example\.com.* \| Subject: Plans \| Date: /,
  )
  const [, message_id, thread_id] = /Message ID: (\S+) \| Thread ID: (\S+)/.exec(found.text) ?? []
  const args = { message_id, thread_id, body: 'May is fine.' }
  const waiting = await agent.say('reply_email', args)
  expect(waiting.text).toMatch(
    /^Rejected: No matching approval file found in vault\/Approved\/ for replying to thread /,
  )
  const id = /Pending_Approval\/(\S+)\.md/.exec(waiting.text)?.[1] ?? ''
  await scene.postern('approve', id, '--yes')
  expect((await agent.say('reply_email', args)).text).toMatch(/^Reply sent successfully\. Message ID: /)
  const sent = scene.sink.messages.at(-1)
  expect(sent?.recipients).toEqual(['cleo.home@example.com'])
  const text = sent?.bytes.toString() ?? ''
  expect(text).toContain('In-Reply-To: <plans@example.com>')
  expect(text).toContain('Subject: Re: Plans')
  expect(text).toContain('> What about May?')
  const wrong = await agent.say('reply_email', { ...args, thread_id: 'nonsense' })
  expect(wrong).toEqual({ isError: true, text: 'Error: Thread ID nonsense not found or no longer accessible.' })
})

test('a draft is left among the drafts', async () => {
  const { text } = await agent.say('draft_email', LETTER)
  expect(text).toMatch(/^Draft created successfully\. Draft ID: \S+\. Review it in your drafts folder\.$/)
  expect(await scene.ada.imap.status('Drafts', { messages: true })).toMatchObject({ messages: 1 })
})

test('with DEV_MODE nothing leaves', async () => {
  const held = await scene.agent({ DEV_MODE: 'true' })
  const before = scene.sink.messages.length
  expect(await held.say('send_email', LETTER)).toEqual({
    isError: false,
    text: '[DEV_MODE] Send logged but not executed. To: b***@example.com, Subject: Lunch on Friday',
  })
  expect((await held.say('draft_email', LETTER)).text).toBe(
    '[DEV_MODE] Draft logged but not created. To: b***@example.com, Subject: Lunch on Friday',
  )
  expect(scene.sink.messages).toHaveLength(before)
})
