/** Every tool of the sets that read and file, on a Gmail account, through the built program, over both transports. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letter, MIXED } from '../mail-source/messages.ts'
import { ask, refusal } from '../policy/answers.ts'
import { type Agent, type ProgramScene, startProgramScene } from './program-scene.ts'
import { ADDRESS } from './scene.ts'

const FOLDERS = ['INBOX', 'Starred', 'Important', 'Sent', 'Drafts', 'All Mail', 'Spam', 'Trash']
const PLANS = letter({
  ...{ subject: 'Plans', from: 'Cleo <cleo@example.com>', to: ADDRESS, body: 'What about May?' },
  messageId: '<plans@example.com>',
})

describe.each(['stdio', 'http'] as const)('over %s', (transport) => {
  let scene: ProgramScene
  let plans: string
  let mixed: string
  let alpha: string

  beforeAll(async () => {
    scene = await startProgramScene()
    plans = await scene.deliver(PLANS, { received: 1_700_000_000 })
    mixed = await scene.deliver(MIXED, { received: 1_700_000_100 })
    alpha = await scene.createLabel('Projects/Alpha')
  })
  afterAll(() => scene.close())

  const start = (sets: string): Promise<Agent> =>
    transport === 'stdio' ? scene.agent(sets) : scene.agentOverHttp(sets)
  const labelsOf = (id: string): readonly string[] => scene.held().find((one) => one.id === id)?.labelIds ?? []

  test('policy: labels are folders, and a move is a change of labels', async () => {
    const { client } = await start('policy')
    const say = (tool: string, args: object = {}) => ask(client, tool, { ...args })
    expect((await say('list_accounts'))['accounts']).toEqual([{ id: 'g', state: 'active' }])
    expect((await say('list_folders', { account: 'g' })).folders).toEqual(
      [...FOLDERS, 'Projects/Alpha'].map((path) => ({
        path,
        message_count: path === 'INBOX' || path === 'All Mail' ? 2 : 0,
      })),
    )
    const { labels } = (await say('list_labels', { account: 'g' })) as { labels?: readonly { name: string }[] }
    expect(labels?.map(({ name }) => name)).toEqual([...FOLDERS, 'Projects/Alpha'])
    expect(await say('folder_stats', { account: 'g', folder: 'INBOX' })).toMatchObject({ visible_count: 2 })
    const place = { account: 'g', folder: 'INBOX' }
    const { messages, uidvalidity } = await say('list_messages', place)
    expect(messages.map(({ uid, subject }) => [uid, subject])).toEqual([
      [2, 'parts'],
      [1, 'Plans'],
    ])
    expect(await say('search', { ...place, query: 'from:cleo may' })).toMatchObject({
      uids: [1],
      gmail_results: [{ uid: 1, gm_msgid: plans, canonical_all_mail_uid: 1 }],
    })
    const at = { ...place, uid: 1, uidvalidity }
    expect(await say('fetch_envelope', at)).toMatchObject({ subject: 'Plans', message_id: '<plans@example.com>' })
    expect(await say('fetch_headers', at)).toMatchObject({ headers: { To: ADDRESS } })
    expect(await say('fetch_body', at)).toMatchObject({ text_body: 'What about May?' })
    const attached = await say('fetch_attachment', { ...place, uid: 2 })
    expect(attached).toMatchObject({ filename: 'übersicht.pdf', content_base64: 'JVBERi0xLjQK' })

    expect(await say('mark_seen', { ...at, seen: true })).toMatchObject({ flags: ['\\Seen'] })
    expect(await say('mark_tagged', { ...at, tags: ['\\Flagged'], mode: 'add' })).toMatchObject({ result: 'OK' })
    expect(labelsOf(plans).toSorted()).toEqual(['INBOX', 'STARRED'])
    const keyword = await say('mark_tagged', { ...at, tags: ['mine'], mode: 'add' })
    expect(keyword).toMatchObject({ error_type: 'provider_rejected', message: expect.stringContaining('use a label') })
    const target = { account: 'g', folder: 'Projects/Alpha' }
    expect(await say('copy', { source: at, target })).toMatchObject({ result: 'OK', mechanism: 'native_copy' })
    expect(labelsOf(plans).toSorted()).toEqual(['INBOX', alpha, 'STARRED'])
    expect(await say('move', { source: at, target })).toMatchObject({ result: 'OK', mechanism: 'gmail_label_swap' })
    expect(labelsOf(plans).toSorted()).toEqual([alpha, 'STARRED'])
    expect(await say('fetch_body', at)).toMatchObject({ error_type: 'uid_not_found' })
    expect(await say('fetch_body', { ...at, uidvalidity: 7 })).toMatchObject({ error_type: 'uid_stale' })
    const there = (await say('list_messages', target)).messages
    expect(there).toMatchObject([{ uid: 1, subject: 'Plans', flags: ['\\Seen', '\\Flagged'] }])
    const source = { ...target, uids: [1, 99] }
    const { results } = await say('move', { source, target: { account: 'g', folder: 'INBOX' } })
    expect(results).toMatchObject([
      { uid: 1, result: 'OK' },
      { uid: 99, result: 'ERROR', error_type: 'uid_not_found' },
    ])
    expect(labelsOf(plans).toSorted()).toEqual(['INBOX', 'STARRED'])

    const draft = await say('create_draft', { account: 'g', folder: 'Drafts', rfc822: letter({ subject: 'mine' }) })
    expect(draft).toMatchObject({ result: 'OK', uid: 1 })
    expect(scene.held('DRAFT')).toHaveLength(1)
    const described = (await say('describe_policy'))['accounts']
    expect(described).toMatchObject([{ id: 'g', semantics: 'gmail-labels' }])
    expect(await say('get_caller_identity')).toMatchObject({ caller_id: transport === 'stdio' ? 'bot' : 'web' })
    expect(await say('get_transaction_status', { tx_id: 'none' })).toMatchObject({ state: 'unknown' })
  })

  test('imap: ids that say where a message is', async () => {
    const { client } = await start('imap')
    const say = async (tool: string, args: object = {}) => {
      const { structuredContent } = await client.callTool({ name: tool, arguments: { ...args } })
      return (structuredContent as { data: Record<string, unknown> }).data
    }
    expect((await say('imap_list_accounts'))['accounts']).toMatchObject([{ account_id: 'g', host: '127.0.0.1' }])
    expect(await say('imap_verify_account', { account_id: 'g' })).toMatchObject({ ok: true })
    const { mailboxes } = await say('imap_list_mailboxes', { account_id: 'g' })
    const [inbox, ...others] = [...FOLDERS, 'Projects/Alpha']
    expect(mailboxes).toEqual([inbox, ...others.sort()].map((name) => ({ name, delimiter: '/' })))
    const search = { account_id: 'g', mailbox: 'INBOX', subject: 'Plans', include_snippet: true }
    const { messages } = (await say('imap_search_messages', search)) as { messages?: { message_id: string }[] }
    expect(messages).toMatchObject([{ subject: 'Plans', snippet: 'What about May?' }])
    const message_id = messages?.[0]?.message_id ?? ''
    expect(message_id).toMatch(/^imap:g:INBOX:\d+:\d+$/)
    expect(await say('imap_get_message', { message_id })).toMatchObject({ message: { body_text: 'What about May?' } })
    const { raw_source_base64 } = await say('imap_get_message_raw', { message_id })
    expect(Buffer.from(String(raw_source_base64), 'base64').toString()).toBe(PLANS)
    const answered = await say('imap_update_message_flags', { message_id, add_flags: ['\\Answered'] })
    expect(answered).toMatchObject({ status: 'failed', issues: [{ code: 'unsupported' }] })
    const flags = { add_flags: ['\\Seen'], remove_flags: ['\\Flagged'] }
    expect(await say('imap_update_message_flags', { message_id, ...flags })).toMatchObject({ flags: ['\\Seen'] })
    const copy = { message_id, destination_mailbox: 'Projects/Alpha' }
    expect(await say('imap_copy_message', copy)).toMatchObject({ status: 'ok' })
    const trashed = await say('imap_move_message', { message_id, destination_mailbox: 'Trash' })
    expect(trashed).toMatchObject({ status: 'ok', new_message_id: expect.stringMatching(/^imap:g:Trash:\d+:1$/) })
    expect(labelsOf(plans)).toContain('TRASH')
    const deleted = await say('imap_delete_message', { message_id: trashed['new_message_id'], confirm: true })
    expect(deleted).toMatchObject({ status: 'ok' })
    expect(scene.held().map(({ id }) => id)).not.toContain(plans)
    await expect(client.callTool({ name: 'imap_get_message', arguments: { message_id } })).rejects.toMatchObject({
      data: { code: 'not_found' },
    })
  })

  test("inbox: Gmail's own ids, shown and taken", async () => {
    const letters = await scene.deliver(PLANS.replace('plans@', 'more@'), { received: 1_700_000_200 })
    const thread = scene.held().find(({ id }) => id === letters)?.threadId
    const { say } = await start('inbox')
    const { value: listed } = await say('list_emails', { account: 'g' })
    expect(listed).toMatchObject({ emails: [{ id: letters }, { id: mixed }] })
    const found = await say('search_emails', { account: ADDRESS, query: 'what about may' })
    expect(found.value).toMatchObject({ emails: [{ id: letters, snippet: 'What about May?' }] })
    const read = { account: 'g', email_id: letters }
    expect((await say('read_email', read)).value).toMatchObject({ id: letters, thread_id: thread, labels: ['UNREAD'] })
    const attachment = { account: 'g', email_id: mixed, attachment_id: 'übersicht.pdf' }
    expect((await say('get_attachment', attachment)).value).toMatchObject({ email_id: mixed, size_bytes: 9 })
    const change = { add_labels: ['STARRED', 'IMPORTANT', 'Projects/Alpha'], remove_labels: ['UNREAD'] }
    expect((await say('manage_labels', { ...read, ...change })).value).toMatchObject({ id: letters })
    expect(labelsOf(letters).toSorted()).toEqual(['IMPORTANT', 'INBOX', alpha, 'STARRED'])
    await scene.elsewhere(`messages/${letters}/modify`, { removeLabelIds: ['INBOX'] })
    // The id is still good where the message stands now.
    expect((await say('read_email', read)).value).toMatchObject({ id: letters, labels: ['STARRED'] })
    expect((await say('list_emails', { account: 'g', folder: 'starred' })).value).toMatchObject({
      emails: [{ id: letters }],
    })

    // Without a Message-ID only Gmail's own name of the conversation holds the two together.
    const nameless = await scene.deliver(PLANS.replace(/Message-ID: .*\r\n/, '').replace('Plans', 'Nameless'))
    const answered = scene.held().find(({ id }) => id === nameless)?.threadId
    const written = { account: 'g', to: ['bob@example.com'], subject: 'Nameless', body: 'May it is.' }
    const draft = await say('create_draft', { ...written, reply_to_id: nameless })
    const { drafts } = (await scene.elsewhere('drafts', {}, 'GET')) as { drafts: { id: string; message: object }[] }
    const made = drafts.find(({ id }) => id === draft.value['id'])
    expect(made).toMatchObject({ message: { threadId: answered } })
    expect(draft.text).toContain(`Draft ID: ${made?.id}`)
    const again = await say('read_email', { account: 'g', email_id: String(draft.value['id']) })
    expect(again.value).toMatchObject({ subject: 'Re: Nameless', body: expect.stringContaining('> What about May?') })
    for (const email_id of ['nothing-at-all', 'r-123456789', `${letters}x`]) {
      await expect(say('read_email', { account: 'g', email_id })).rejects.toMatchObject({ data: { code: 'not_found' } })
    }
  })
})

describe('what a policy hides', () => {
  let scene: ProgramScene
  let hidden: string
  let shown: string

  beforeAll(async () => {
    const fromFriends = [{ match: { from_domain: 'friends.example' }, grant: 'FULL' }]
    const folders = [
      { path: 'INBOX', mode: 'whitelist', default: 'NONE', rules: fromFriends, move_out: true, mark_tagged: true },
      { path: 'Open', mode: 'blacklist', default: 'FULL', accept_incoming: true },
      { path: 'Closed', mode: 'blacklist', default: 'FULL' },
      { path: 'Starred', mode: 'blacklist', default: 'FULL' },
    ]
    scene = await startProgramScene({ policy: { accounts: { g: folders }, conceal_hidden: true } })
    for (const name of ['Open', 'Closed', 'Unnamed']) await scene.createLabel(name)
    const from = 'Cy <cy@friends.example>'
    shown = await scene.deliver(letter({ subject: 'shown', from }), { received: 1_700_000_000 })
    hidden = await scene.deliver(letter({ subject: 'hidden', from: 'eve@others.example' }), { received: 1_700_000_100 })
  })
  afterAll(() => scene.close())

  test('stays hidden under every label and every name', async () => {
    const { client } = await scene.agent('policy,imap')
    const inbox = { account: 'g', folder: 'INBOX' }
    const { messages, uidvalidity } = await ask(client, 'list_messages', inbox)
    expect(messages.map(({ subject }) => subject)).toEqual(['shown'])
    expect((await ask(client, 'list_folders', { account: 'g' })).folders.map(({ path }) => path).toSorted()).toEqual([
      ...['Closed', 'INBOX', 'Open', 'Starred'],
    ])
    const at = (uid: number, folder: string) => ({ source: { ...inbox, uid }, target: { account: 'g', folder } })
    const uid = messages[0]?.uid ?? 0
    const other = uid === 1 ? 2 : 1
    expect(await ask(client, 'fetch_body', { ...inbox, uid: other })).toMatchObject({ error_type: 'uid_not_found' })
    for (const folder of ['Open', 'Starred']) {
      expect(await ask(client, 'copy', at(other, folder))).not.toMatchObject({ result: 'OK' })
    }
    const star = { ...inbox, uid: other, uidvalidity, tags: ['\\Flagged'], mode: 'add' }
    expect(await ask(client, 'mark_tagged', star)).not.toMatchObject({ result: 'OK' })
    expect(scene.held().find(({ id }) => id === hidden)?.labelIds).toEqual(['INBOX', 'UNREAD'])
    expect(await ask(client, 'move', at(uid, 'Closed'))).toMatchObject({
      ...{ decision: 'DENY', reason: 'capability_missing', missing_capability: 'accept_incoming' },
    })
    expect(await ask(client, 'move', at(uid, 'Unnamed'))).toMatchObject({ decision: 'DENY', reason: 'folder_hidden' })
    expect(await ask(client, 'mark_seen', { ...inbox, uid, seen: true })).toMatchObject({
      ...{ decision: 'DENY', missing_capability: 'mark_seen' },
    })
    const raw = { message_id: `imap:g:INBOX:${uidvalidity}:${other}` }
    expect(await refusal(client, 'imap_get_message_raw', raw)).toMatchObject({ data: { code: 'not_found' } })
    expect(await ask(client, 'move', at(uid, 'Open'))).toMatchObject({ result: 'OK' })
  })

  test("and Gmail's own id of it names nothing", async () => {
    const { client, say } = await scene.agent('inbox,outbox')
    expect((await say('read_email', { account: 'g', email_id: shown })).value).toMatchObject({ subject: 'shown' })
    const absent = await refusal(client, 'read_email', { account: 'g', email_id: 'not-there-at-all' })
    for (const [tool, more] of [
      ['read_email', {}],
      ['get_attachment', { attachment_id: '1' }],
      ['manage_labels', { add_labels: ['STARRED'] }],
    ] as const) {
      const refused = await refusal(client, tool, { account: 'g', email_id: hidden, ...more })
      expect(refused).toMatchObject({ message: absent.message, data: { code: 'not_found' } })
    }
    const { text } = await say('search_email', { query: 'hidden' })
    expect(text).toMatch(/^No emails found/)
    const thread_id = scene.held().find(({ id }) => id === hidden)?.threadId ?? ''
    const reply = await say('reply_email', { thread_id, message_id: hidden, body: 'Who are you?' })
    expect(reply.text).toBe(`Error: Thread ID ${thread_id} not found or no longer accessible.`)
    const attachments = [{ message_id: hidden, part_id: '1' }]
    const send = await say('send_email', { to: 'eve@others.example', subject: 's', body: 'b', attachments })
    expect(send.text).toMatch(/^Error sending email: there is no such email/)
    expect(await scene.vault('Pending_Approval')).toEqual([])
  })
})
