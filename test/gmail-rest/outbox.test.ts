/** Letters that leave through Gmail: approved, sent once, filed by Gmail itself, with the access that a person has granted. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { letter, MIXED } from '../mail-source/messages.ts'
import { type Agent, type ProgramScene, type Said, startProgramScene } from './program-scene.ts'
import { googleError } from './proxy.ts'
import { ADDRESS } from './scene.ts'

const SENDS = /^POST \/(upload\/)?gmail\/v1\/users\/me\/messages\/send/
const LETTER = { to: 'Bob <bob@example.com>', subject: 'Lunch', body: 'Shall we say noon?' }

function subjectsIn(scene: ProgramScene, subject: string): readonly string[] {
  return sentBy(scene).filter((text) => text.includes(`\r\nSubject: ${subject}\r\n`))
}

function sentBy(scene: ProgramScene): readonly string[] {
  return scene.held('SENT').map(({ raw }) => Buffer.from(raw, 'base64url').toString())
}

/** The letter waits, and a person says yes. */
async function approved(scene: ProgramScene, agent: Agent, tool: string, args: object): Promise<string> {
  const waiting = await agent.say(tool, { ...args })
  expect(waiting.text).toMatch(/^Rejected: No matching approval file found/)
  const id = String(waiting.value['id'])
  expect(await scene.postern('approve', id, '--yes')).toMatchObject({ code: 0 })
  return id
}

describe.each(['stdio', 'http'] as const)('over %s', (transport) => {
  let scene: ProgramScene
  let agent: Agent

  beforeAll(async () => {
    scene = await startProgramScene()
    agent = transport === 'stdio' ? await scene.agent('outbox') : await scene.agentOverHttp('outbox')
  })
  afterAll(() => scene.close())

  test('a letter waits, leaves once, to all it names and with what it takes along', async () => {
    const mixed = await scene.deliver(MIXED)
    const attachments = [{ message_id: mixed, part_id: '2' }]
    const args = { ...LETTER, cc: 'cleo@example.com', bcc: 'eve@example.org', attachments }
    const waiting = await agent.say('send_email', args)
    expect(waiting).toMatchObject({ isError: true, value: { code: 'approval_required' } })
    expect(scene.held('SENT')).toEqual([])
    const id = String(waiting.value['id'])
    expect((await scene.postern('outbox', id)).stdout).toMatch(/Bcc: +eve@example\.org[\s\S]*übersicht\.pdf/)
    expect(await scene.postern('approve', id, '--yes')).toMatchObject({ code: 0 })
    const sent = await agent.say('send_email', args)
    const [copy, ...others] = scene.held('SENT')
    // Gmail files it by itself: ours would be a second one.
    expect(others).toEqual([])
    expect(sent.text).toBe(`Email sent successfully. Message ID: ${copy?.id} Thread ID: ${copy?.threadId}`)
    const [text = ''] = sentBy(scene)
    expect(text).toMatch(/^Bcc: eve@example\.org\r\n/)
    expect(text).toContain('\r\nTo: Bob <bob@example.com>\r\nCc: cleo@example.com\r\n')
    expect(text).toContain('\r\nJVBERi0xLjQK\r\n')
    expect(await scene.vault('Done')).toEqual([`${id}.md`])
    // What was used is used.
    expect(await agent.say('send_email', args)).toMatchObject({
      value: { code: 'already_sent', id, message_id: copy?.id },
    })
    expect(scene.held('SENT')).toHaveLength(1)
    expect(scene.proxy.requests.filter((line) => SENDS.test(line))).toHaveLength(1)
  })

  test("an answer is in its conversation, by Gmail's own names for it", async () => {
    const original = letter({
      ...{ subject: 'Plans', from: 'Cleo <cleo@example.com>', to: ADDRESS, body: 'What about May?' },
      ...{ messageId: '<plans@example.com>', extra: ['Reply-To: home@example.com', 'References: <older@example.com>'] },
    })
    const message_id = await scene.deliver(original)
    const other = await scene.deliver(letter({ subject: 'Other', messageId: '<other@example.com>' }))
    const thread_id = scene.held().find(({ id }) => id === message_id)?.threadId ?? ''
    const found = await agent.say('search_email', { query: 'subject:plans' })
    expect(found.text).toContain(`Message ID: ${message_id} | Thread ID: ${thread_id}`)
    const args = { thread_id, message_id, body: 'May is fine.' }
    await approved(scene, agent, 'reply_email', args)
    const sent = await agent.say('reply_email', args)
    expect(sent).toMatchObject({ value: { status: 'sent', thread_id } })
    const copy = scene.held('SENT').find(({ id }) => id === sent.value['message_id'])
    expect(copy).toMatchObject({ threadId: thread_id, labelIds: ['SENT'] })
    const text = Buffer.from(copy?.raw ?? '', 'base64url').toString()
    for (const line of [
      'To: home@example.com',
      'Subject: Re: Plans',
      'In-Reply-To: <plans@example.com>',
      'References: <older@example.com> <plans@example.com>',
      '> What about May?',
    ]) {
      expect(text).toContain(`\r\n${line}\r\n`)
    }
    for (const [wrong, named] of [
      [{ ...args, message_id: other }, thread_id],
      [{ ...args, thread_id: 'nonsense' }, 'nonsense'],
      [{ ...args, message_id: 'nothing-at-all' }, thread_id],
    ] as const) {
      const { text: told } = await agent.say('reply_email', wrong)
      expect(told).toBe(`Error: Thread ID ${named} not found or no longer accessible.`)
    }
  })

  test("a draft has Gmail's own name of a draft", async () => {
    const before = scene.held('SENT').length
    const { text, value } = await agent.say('draft_email', LETTER)
    expect(text).toBe(
      `Draft created successfully. Draft ID: ${value['draft_id']}. Review it in your Gmail drafts folder.`,
    )
    const { drafts } = (await scene.elsewhere('drafts', {}, 'GET')) as { drafts: object[] }
    expect(drafts).toMatchObject([{ id: value['draft_id'] }])
    expect(scene.held('SENT')).toHaveLength(before)
  })
})

describe('access', () => {
  test('an access token that has ended is replaced on the way, and the letter leaves once', async () => {
    const scene = await startProgramScene()
    onTestFinished(() => scene.close())
    const agent = await scene.agent('outbox')
    await approved(scene, agent, 'send_email', LETTER)
    expect((await agent.say('search_email', { query: 'nothing' })).isError).toBe(false)
    scene.voidTokens()
    expect(await agent.say('send_email', LETTER)).toMatchObject({ value: { status: 'sent' } })
    expect(scene.proxy.requests.filter((line) => SENDS.test(line))).toHaveLength(2)
    expect(scene.held('SENT')).toHaveLength(1)
  })

  test('where Gmail does not permit it nothing is lost, and what was taken back is granted anew', async () => {
    const scene = await startProgramScene()
    onTestFinished(() => scene.close())
    const agent = await scene.agent('outbox')
    await approved(scene, agent, 'send_email', LETTER)
    const body = googleError(403, 'insufficientPermissions', 'PERMISSION_DENIED')
    scene.proxy.fault({ on: SENDS, what: { kind: 'answer', status: 403, body } })
    const forbidden = await agent.say('send_email', LETTER)
    expect(forbidden.text).toMatch(/^Error sending email: Authentication required: .*grant a wider scope/)
    expect(forbidden.text).not.toContain('the words of Google')
    await scene.revoke()
    for (const [tool, args] of [
      ['search_email', { query: 'x' }],
      ['send_email', LETTER],
      ['draft_email', LETTER],
    ] as const) {
      const { text } = await agent.say(tool, args)
      expect(text).toMatch(/^Error .*: Authentication required: .*run "postern oauth --account g"/)
    }
    expect(scene.held('SENT')).toEqual([])
    expect(await scene.grantAnew()).toBe(0)
    // The approval still holds.
    expect(await agent.say('send_email', LETTER)).toMatchObject({ value: { status: 'sent' } })
    expect(scene.held('SENT')).toHaveLength(1)
  })

  test('a scope that only reads refuses every change, and says what would allow it', async () => {
    const scene = await startProgramScene({ scope: 'https://www.googleapis.com/auth/gmail.readonly' })
    onTestFinished(() => scene.close())
    const email_id = await scene.deliver(letter({ subject: 'Plans' }))
    const { say } = await scene.agent('inbox,outbox')
    expect((await say('search_email', { query: 'subject:plans' })).text).toContain(email_id)
    const cure =
      'its access was granted for reading only; write a wider oauth_scope, then run "postern oauth --account g"'
    for (const tool of ['send_email', 'draft_email']) {
      expect(await say(tool, LETTER)).toMatchObject({ isError: true, value: { code: 'oauth_scope_insufficient' } })
      expect((await say(tool, LETTER)).text).toContain(cure)
    }
    for (const [tool, more] of [
      ['manage_labels', { email_id, add_labels: ['STARRED'] }],
      ['create_draft', { to: ['a@example.com'], subject: 's', body: 'b' }],
    ] as const) {
      await expect(say(tool, { account: 'g', ...more })).rejects.toMatchObject({
        message: expect.stringContaining(cure),
      })
    }
    expect(scene.proxy.requests.filter((line) => !line.startsWith('GET'))).toEqual([])
  })
})

describe('a process that is killed, or a line that breaks', () => {
  let scene: ProgramScene

  beforeAll(async () => {
    scene = await startProgramScene()
  })
  afterAll(() => scene.close())

  let letters = 0
  const another = () => ({ ...LETTER, subject: `Letter ${++letters}` })
  const state = async (id: string): Promise<string> => {
    const { stdout } = await scene.postern('outbox', id, '--json')
    return (JSON.parse(stdout) as { state: string }).state
  }

  /** Whoever asks, nothing more leaves. */
  async function expectAtMost(agent: Agent, args: { subject: string }, id: string, copies: number): Promise<Said> {
    expect(subjectsIn(scene, args.subject)).toHaveLength(copies)
    const ending = copies === 1 ? 'sent' : 'needs_operator'
    expect(await state(id)).toBe(ending)
    const again = await agent.say('send_email', args)
    expect(subjectsIn(scene, args.subject)).toHaveLength(copies)
    return again
  }

  test.each([
    ['the letter never reaches Gmail', 'never', 0],
    ['Gmail takes the letter all the same', 'does', 1],
    ['Gmail has taken it, and its answer is not heard', 'did', 1],
  ] as const)('killed while it sends: %s', async (_, gmail, copies) => {
    const args = another()
    const doomed = await scene.agent('outbox')
    const id = await approved(scene, doomed, 'send_email', args)
    scene.proxy.fault({ on: SENDS, what: { kind: 'meanwhile', gmail, happens: () => doomed.kill() } })
    await expect(doomed.say('send_email', args)).rejects.toThrow()
    await expect.poll(() => subjectsIn(scene, args.subject).length).toBe(copies)
    const agent = await scene.agent('outbox')
    const again = await expectAtMost(agent, args, id, copies)
    // Its caller has not heard yet that it was sent.
    const [copy] = scene.held('SENT').filter(({ raw }) => Buffer.from(raw, 'base64url').includes(args.subject))
    const sent = { status: 'sent', message_id: copy?.id, thread_id: copy?.threadId }
    expect(again.value).toMatchObject(copies === 1 ? sent : { code: 'needs_operator' })
    if (copies === 1) {
      expect(await agent.say('send_email', args)).toMatchObject({ value: { code: 'already_sent', id } })
      return
    }
    expect(await scene.postern('outbox', id, '--look')).toMatchObject({ code: expect.any(Number) })
    expect(await scene.postern('outbox', id, '--not-sent', '--yes')).toMatchObject({ code: 0 })
    await approved(scene, agent, 'send_email', args)
    expect(await agent.say('send_email', args)).toMatchObject({ value: { status: 'sent' } })
    expect(subjectsIn(scene, args.subject)).toHaveLength(1)
  })

  test('killed before anything is sent: the approval is still there', async () => {
    const message_id = await scene.deliver(letter({ subject: 'Question', from: 'Cy <cy@example.com>' }))
    const thread_id = scene.held().find(({ id }) => id === message_id)?.threadId ?? ''
    const args = { thread_id, message_id, body: 'An answer.' }
    const doomed = await scene.agent('outbox')
    await approved(scene, doomed, 'reply_email', args)
    const on = new RegExp(`^GET .*/messages/${message_id}`)
    scene.proxy.fault({ on, what: { kind: 'meanwhile', gmail: 'did', happens: () => doomed.kill() } })
    await expect(doomed.say('reply_email', args)).rejects.toThrow()
    const agent = await scene.agent('outbox')
    expect(await agent.say('reply_email', args)).toMatchObject({ value: { status: 'sent' } })
    expect(subjectsIn(scene, 'Re: Question')).toHaveLength(1)
  })

  let agent: Agent | undefined
  test.each([
    ['before the letter was there', { kind: 'drop_before' }, 0],
    ['after it was', { kind: 'drop_after' }, 1],
    ['in the middle of the answer', { kind: 'truncate', cut: true }, 1],
    ['and something between says that it heard nothing', { kind: 'answer', status: 504 }, 0],
  ] as const)('the line breaks %s', async (_, what, copies) => {
    const args = another()
    agent ??= await scene.agent('outbox')
    const id = await approved(scene, agent, 'send_email', args)
    scene.proxy.fault({ on: SENDS, what })
    const told = await agent.say('send_email', args)
    const copy = scene.held('SENT').find(({ raw }) => Buffer.from(raw, 'base64url').includes(args.subject))
    expect(told.text).toContain(
      copy === undefined
        ? 'nobody knows whether it was sent: the answer was lost.'
        : `Email sent successfully. Message ID: ${copy.id} Thread ID: ${copy.threadId}`,
    )
    const again = await expectAtMost(agent, args, id, copies)
    expect(again.value).toMatchObject({ code: copies === 1 ? 'already_sent' : 'needs_operator' })
  })

  test('where the copy appears later, it settles the letter', async () => {
    const args = another()
    agent ??= await scene.agent('outbox')
    const id = await approved(scene, agent, 'send_email', args)
    scene.proxy.fault({ on: SENDS, what: { kind: 'drop_after' } })
    // Nobody can look for a while.
    scene.proxy.fault({ on: /^GET .*\/messages\?/, what: { kind: 'answer', status: 404 } })
    expect((await agent.say('send_email', args)).value).toMatchObject({ code: 'needs_operator' })
    await expect.poll(() => state(id)).toBe('sent')
    expect(subjectsIn(scene, args.subject)).toHaveLength(1)
  })
})
