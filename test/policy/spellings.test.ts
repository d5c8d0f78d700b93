/** A folder has one spelling: no other one leads past what the policy says of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uidvalidityOf } from '../imap/harness.ts'
import { letter } from '../mail-source/messages.ts'
import { type Agent, ALL_CAPABILITIES, type Folder, type Stage, startStage, uniform } from './stage.ts'

const SECRET = 'csubject-secret'
const OPEN = 'open to all'

/** Everything below is open but what is named: the longest path wins. */
const FOLDERS: readonly Folder[] = [
  uniform('**', 'FULL', ALL_CAPABILITIES),
  uniform('INBOX', 'NONE'),
  uniform('INBOX/Private', 'NONE'),
  uniform('Work/Private', 'NONE'),
  uniform('Vault/**', 'NONE'),
  uniform('Vault/Open', 'FULL'),
  uniform('Geheim/Grüße', 'NONE'),
]

const reading = async (agent: Agent, account: string, folder: string): Promise<string[]> => {
  const at = { account, folder }
  const answers = [
    await agent.ask('folder_stats', at),
    await agent.ask('search', at),
    await agent.ask('list_messages', at),
    await agent.ask('fetch_body', { ...at, uid: 1 }),
    await agent.ask('mark_seen', { ...at, uid: 1, seen: true }),
    await agent.ask('copy', { source: { ...at, uid: 1 }, target: { account, folder: 'Work/Open' } }),
  ]
  return answers.map((answer) => JSON.stringify(answer))
}

const nothingOf = (answers: readonly string[]): void => {
  for (const answer of answers) {
    expect(answer).not.toContain(SECRET)
    expect(answer).not.toMatch(/"visible_count":[1-9]|"matched_visible":[1-9]|"matched_total":[1-9]|"result":"OK"/)
    expect(answer).toMatch(/"DENY"|"error_type"/)
  }
}

describe('where levels are parted by a slash', () => {
  let stage: Stage
  let agent: Agent
  beforeAll(async () => {
    stage = await startStage({
      callers: { bot: { toolsets: ['policy', 'imap'] } },
      policies: { bot: { accounts: { ada: FOLDERS } } },
    })
    const secrets = ['INBOX', 'INBOX/Private', 'Work/Private', 'Vault/One', 'Vault/One/Two', 'Geheim/Grüße']
    for (const folder of secrets) await stage.put('ada', folder, [letter({ subject: SECRET })])
    for (const folder of ['Work/Open', 'Vault/Open', 'Elsewhere'])
      await stage.put('ada', folder, [letter({ subject: OPEN })])
    agent = await stage.as('bot')
  })
  afterAll(() => stage.close())

  const SPELLINGS = [
    ...[
      'Work/Private',
      'Work//Private',
      'Work/Private/',
      '/Work/Private',
      '//Work/Private',
      'Work/./Private',
      './Work/Private',
    ],
    ...[
      'Work/../Work/Private',
      'Work/Open/../Private',
      'work/private',
      'WORK/PRIVATE',
      'Work/private',
      'Work/Private ',
    ],
    ...[
      ' Work/Private',
      'Work/%',
      'Work/*',
      'Work/Priv%',
      'Work/P*',
      '*',
      '%',
      '**',
      'Work/**',
      'Work\\Private',
      'Work.Private',
    ],
    ...[
      'Work/Pr&AGk-vate',
      'Work/&AFA-rivate',
      'Work&AC8-Private',
      'Work/Private&-',
      'Work/Private\u200b',
      'Work/Рrivate',
    ],
    ...[
      'Work/Ｐrivate',
      '"Work/Private"',
      'Work/Private\u0301',
      '~/Work/Private',
      '#shared/Work/Private',
      'Work／Private',
    ],
    ...[
      'INBOX',
      'inbox',
      'InBoX',
      'iNBOX',
      'INBOX/',
      '/INBOX',
      'INBOX//',
      ' INBOX',
      'inbox/Private',
      'INBOX/Private',
      'Inbox/Private',
    ],
    ...['inbox//Private', 'INBOX/private', '&AEkATgBCAE8AWA-', '&AEk-NBOX', 'ＩＮＢＯＸ', 'ınbox', 'İNBOX'],
    ...['Vault/One', 'Vault/One/Two', 'Vault//One', 'vault/One', 'Vault/Open/../One', 'Vault/One/', 'Vault/', 'Vault'],
    ...[
      'Geheim/Grüße',
      'Geheim/Gr&APwA3w-e',
      'Geheim/Gru\u0308ße',
      'Geheim/Gr&APw-&AN8-e',
      'geheim/Grüße',
      'Geheim/GRÜSSE',
    ],
  ]

  test.each(SPELLINGS)('%j', async (folder) => {
    nothingOf(await reading(agent, 'ada', folder))
    const target = { account: 'ada', folder }
    const source = { account: 'ada', folder: 'Work/Open', uid: 1 }
    for (const tool of ['copy', 'move']) {
      const answer = await agent.ask(tool, { source, target })
      expect(answer['result'] ?? answer.decision, JSON.stringify(answer)).toMatch(/DENY|ERROR/)
    }
    const draft = await agent.ask('create_draft', { account: 'ada', folder, rfc822: 'Subject: x\r\n\r\n' })
    expect(draft['result'] ?? draft.decision, JSON.stringify(draft)).toMatch(/DENY|ERROR/)
  })

  test.each(SPELLINGS)('%j, by the imap set', async (mailbox) => {
    const { postern } = agent
    const listed = ['INBOX', 'INBOX/Private', 'Work/Private', 'Vault/One', 'Vault/One/Two', 'Geheim/Grüße']
    const uidvalidity = await uidvalidityOf(
      await stage.client('ada'),
      listed.includes(mailbox) ? mailbox : 'Work/Private',
    )
    const id = `imap:ada:${mailbox}:${uidvalidity}:1`
    const uri = `imap://ada/mailbox/${encodeURIComponent(mailbox)}/message/${uidvalidity}/1`
    const answers = [
      await postern.attempt('imap_search_messages', { account_id: 'ada', mailbox }),
      await postern.attempt('imap_get_message', { message_id: id }),
      await postern.attempt('imap_get_message_raw', { message_id: id }),
      await postern.attempt('imap_copy_message', { message_id: id, destination_mailbox: 'Work/Open' }),
      await postern.attempt('imap_delete_message', { message_id: id, confirm: true }),
      await postern.client.readResource({ uri }).catch(({ code, message }) => ({ code, message })),
    ]
    for (const answer of answers) expect(answer, JSON.stringify(answer)).toMatchObject({ code: expect.any(Number) })
  })

  test('what is open is open under its own name', async () => {
    for (const folder of ['Work/Open', 'Vault/Open', 'Elsewhere']) {
      expect(JSON.stringify(await agent.ask('list_messages', { account: 'ada', folder }))).toContain(OPEN)
    }
  })

  test('nothing was made, moved or marked on the way', async () => {
    const client = await stage.client('ada')
    for (const folder of ['INBOX', 'INBOX/Private', 'Work/Private', 'Vault/One', 'Work/Open', 'Vault/Open']) {
      expect(await client.uids(folder), folder).toEqual([1])
      expect(await client.flags(folder, 1)).not.toContain('\\Seen')
    }
  })
})

describe('where levels are parted by a dot', () => {
  let stage: Stage
  let agent: Agent
  beforeAll(async () => {
    const extra = 'mail_location = maildir:%h/Maildir:LAYOUT=index\nnamespace inbox {\n  separator = .\n}\n'
    stage = await startStage({
      callers: { bot: { toolsets: ['policy', 'imap'] }, exact: {} },
      policies: {
        bot: { accounts: { ada: FOLDERS } },
        exact: { accounts: { ada: [uniform('Work/Open', 'FULL', ALL_CAPABILITIES), uniform('a/b', 'FULL')] } },
      },
      dovecot: { extra },
    })
    const secrets = ['INBOX', 'Work.Private', 'Vault.One', 'Vault.One.Two']
    for (const folder of secrets) await stage.put('ada', folder, [letter({ subject: SECRET })])
    for (const folder of ['Work.Open', 'Vault.Open']) await stage.put('ada', folder, [letter({ subject: OPEN })])
    const client = await stage.client('ada')
    for (const folder of ['Work/Private', 'a/b']) {
      await client.imap.mailboxCreate(folder)
      await client.imap.append(folder, Buffer.from(letter({ subject: 'a slash in its name' })))
    }
    agent = await stage.as('bot')
  })
  afterAll(() => stage.close())

  test.each([
    ...[
      'Work/Private',
      'Work.Private',
      'Work//Private',
      'Work..Private',
      'Work./Private',
      'Work/.Private',
      'work/private',
    ],
    ...[
      'INBOX',
      'inbox',
      'Vault/One',
      'Vault.One',
      'Vault/One.Two',
      'Vault.One/Two',
      'Vault/One/Two',
      'Work.Open',
      'a/b',
      'a.b',
    ],
  ])('%j', async (folder) => {
    nothingOf(await reading(agent, 'ada', folder))
  })

  test('a path is the name with its dots turned', async () => {
    for (const folder of ['Work/Open', 'Vault/Open']) {
      expect(JSON.stringify(await agent.ask('list_messages', { account: 'ada', folder }))).toContain(OPEN)
    }
    const { folders } = await agent.ask('list_folders', { account: 'ada' })
    expect(folders.map(({ path }) => path)).toEqual(expect.arrayContaining(['Work/Open', 'Vault/Open', 'Work/Private']))
  })

  test('a name with a slash in it is no path, and cannot be taken for one', async () => {
    const exact = await stage.as('exact')
    expect(await exact.ask('search', { account: 'ada', folder: 'a/b' })).toMatchObject({
      error_type: 'folder_not_found',
    })
    const { folders } = await exact.ask('list_folders', { account: 'ada' })
    expect(folders.map(({ path }) => path)).toEqual(['Work/Open'])
  })

  test('the imap set takes names as the server writes them', async () => {
    const search = (mailbox: string) => agent.postern.attempt('imap_search_messages', { account_id: 'ada', mailbox })
    expect(JSON.stringify(await search('Work.Open'))).toContain(OPEN)
    for (const mailbox of ['Work.Private', 'Vault.One', 'INBOX', 'inbox', 'Work..Private', 'Vault.One.Two']) {
      expect(JSON.stringify(await search(mailbox))).not.toContain(SECRET)
    }
  })
})
