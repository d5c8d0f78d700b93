/** The Gmail-like server against what is known of Gmail: Google's own description, and transcripts of others. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { letter, MIXED } from '../mail-source/messages.ts'
import { type RawClient, rawClient } from './raw-client.ts'
import { DEFAULT_ACCOUNT, type Gmail, startGmail } from './server.ts'

let gmail: Gmail
let client: RawClient

beforeEach(async () => {
  gmail = await startGmail({
    labels: ['Work'],
    messages: [
      { raw: letter({ subject: 'first', messageId: '<1@x>' }), labels: ['\\Inbox', '\\Important', 'Muy Importante'] },
      { raw: letter({ subject: 'second', messageId: '<2@x>' }), labels: ['\\Inbox'], flags: ['\\Seen'] },
      { raw: letter({ subject: 'archived', messageId: '<3@x>' }), labels: [] },
    ],
  })
  client = await rawClient(gmail)
})

afterEach(async () => {
  client.close()
  await gmail.stop()
})

const store = () => gmail.account().store
const labels = (index: number): string[] => [...(store().messages()[index]?.labels ?? [])].sort()

describe('greeting and login', () => {
  test('capabilities are announced apart from the tagged answer, and differ after login', async () => {
    const stranger = await rawClient(gmail, false)
    expect(await stranger.send('CAPABILITY')).toMatch(/^\* CAPABILITY IMAP4rev1 .*AUTH=XOAUTH2.*\r\nOK Thats all/)
    const welcome = await stranger.send(`LOGIN ${DEFAULT_ACCOUNT.user} "${DEFAULT_ACCOUNT.password}"`)
    expect(welcome).toMatch(/^\* CAPABILITY .*LITERAL- .*\r\nOK ada@gmail.com authenticated \(Success\)\r\n$/)
    expect(welcome).not.toContain('SORT')
    stranger.close()
  })

  test.each(['XOAUTH2', 'OAUTHBEARER'])('%s takes a good token and challenges a bad one', async (mechanism) => {
    const answer = (token: string): string => {
      const who = mechanism === 'XOAUTH2' ? `user=${DEFAULT_ACCOUNT.user}` : `n,a=${DEFAULT_ACCOUNT.user},`
      return Buffer.from(`${who}\u0001auth=Bearer ${token}\u0001\u0001`).toString('base64')
    }
    const stranger = await rawClient(gmail, false)
    stranger.write(`a AUTHENTICATE ${mechanism} ${answer('bad token')}\r\n`)
    expect(await stranger.until('\r\n')).toMatch(/^\+ eyJzdGF0dXMiOiI0MDAi/)
    stranger.write('\r\n')
    expect(await stranger.until('\r\n')).toBe('a NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)\r\n')
    expect(await stranger.send(`AUTHENTICATE ${mechanism} ${answer('good token')}`)).toContain('OK ada@gmail.com')
    stranger.close()
  })

  test('so many connections an account, and no more', async () => {
    const small = await startGmail({ maxConnections: 1 })
    const one = await rawClient(small)
    const two = await rawClient(small, false)
    expect(await two.send(`LOGIN ${DEFAULT_ACCOUNT.user} "${DEFAULT_ACCOUNT.password}"`)).toBe(
      'NO [ALERT] Too many simultaneous connections. (Failure)\r\n',
    )
    one.close()
    two.close()
    await small.stop()
  })
})

describe('mailboxes', () => {
  test('special ones are named in the language of the account and marked in every LIST', async () => {
    const german = await startGmail({ language: 'de', prefix: '[Google Mail]' })
    const other = await rawClient(german)
    const listed = await other.send('LIST "" "*"')
    expect(listed).toContain('* LIST (\\HasNoChildren) "/" "INBOX"\r\n')
    expect(listed).toContain('* LIST (\\HasChildren \\Noselect) "/" "[Google Mail]"\r\n')
    expect(listed).toContain('* LIST (\\All \\HasNoChildren) "/" "[Google Mail]/Alle Nachrichten"\r\n')
    expect(listed).toContain('* LIST (\\Drafts \\HasNoChildren) "/" "[Google Mail]/Entw&APw-rfe"\r\n')
    expect(listed).toContain('* LIST (\\HasNoChildren \\Junk) "/" "[Google Mail]/Spam"\r\n')
    other.close()
    await german.stop()
  })

  test('a message under several labels has a uid in each mailbox, and one in All Mail', async () => {
    await client.send('EXAMINE "Muy Importante"')
    const here = await client.send('UID FETCH 1:* (X-GM-MSGID X-GM-THRID X-GM-LABELS)')
    const id = store().messages()[0]?.msgid
    expect(here).toBe(
      `* 1 FETCH (UID 1 X-GM-MSGID ${id} X-GM-THRID ${id} X-GM-LABELS ("\\\\Inbox" "\\\\Important"))\r\nOK Success\r\n`,
    )
    expect(Number.isSafeInteger(Number(id))).toBe(false)
    await client.send('EXAMINE "[Gmail]/All Mail"')
    expect(await client.send(`UID SEARCH X-GM-MSGID ${id}`)).toBe('* SEARCH 1\r\nOK SEARCH completed (Success)\r\n')
    expect(await client.send('UID FETCH 1 (X-GM-LABELS)')).toContain('("\\\\Inbox" "\\\\Important" "Muy Importante")')
    expect(await client.send('STATUS "[Gmail]/All Mail" (MESSAGES UNSEEN RECENT)')).toContain(
      '(MESSAGES 3 UNSEEN 2 RECENT 0)',
    )
  })

  test('one that is not there, and one that only holds others, cannot be opened', async () => {
    expect(await client.send('SELECT nowhere')).toBe(
      'NO [NONEXISTENT] Unknown Mailbox: nowhere (now in authenticated state) (Failure)\r\n',
    )
    expect(await client.send('SELECT "[Gmail]"')).toContain('NO [NONEXISTENT]')
    expect(await client.send('CREATE work')).toContain('NO [ALREADYEXISTS] Duplicate folder name')
  })

  test('a label that was taken away and given again has a new uid', async () => {
    await client.send('SELECT INBOX')
    await client.send('UID STORE 1 -X-GM-LABELS (\\Inbox)')
    await client.send('SELECT "[Gmail]/All Mail"')
    await client.send('UID STORE 1 +X-GM-LABELS (\\Inbox)')
    await client.send('SELECT INBOX')
    expect(await client.send('UID SEARCH SUBJECT first')).toContain('* SEARCH 3\r\n')
  })
})

describe('labels', () => {
  test('are added and removed by STORE, and made where they are not there', async () => {
    await client.send('SELECT INBOX')
    expect(await client.send('STORE 1 +X-GM-LABELS (foo "b a r" &AOQ-)')).toBe(
      '* 1 FETCH (UID 1 X-GM-LABELS ("\\\\Important" "Muy Importante" foo "b a r" &AOQ-))\r\nOK Success\r\n',
    )
    expect(await client.send('LIST "" "b a r"')).toContain('"b a r"')
    await client.send('STORE 1 -X-GM-LABELS (foo "Muy Importante")')
    expect(labels(0)).toEqual(['\\Important', '\\Inbox', 'b a r', 'ä'])
  })

  test('COPY adds one, MOVE swaps, and both say where the message is', async () => {
    await client.send('SELECT INBOX')
    const { uidvalidity } = store().mailbox('Work') ?? {}
    expect(await client.send('UID COPY 2 Work')).toContain(`OK [COPYUID ${uidvalidity} 2 1] (Success)`)
    expect(labels(1)).toEqual(['Work', '\\Inbox'])
    expect(await client.send('UID MOVE 1 Work')).toBe(
      `* OK [COPYUID ${uidvalidity} 1 2] (Success)\r\n* 1 EXPUNGE\r\nOK (Success)\r\n`,
    )
    expect(labels(0)).toEqual(['Muy Importante', 'Work', '\\Important'])
    expect(await client.send('UID COPY 2 nowhere')).toContain('NO [TRYCREATE]')
  })

  test('Trash takes all others away, and the message is not in All Mail any more', async () => {
    await client.send('SELECT "[Gmail]/All Mail"')
    expect(await client.send('UID STORE 1 +X-GM-LABELS (\\Trash)')).toContain('* 1 EXPUNGE')
    expect(labels(0)).toEqual(['\\Trash'])
    await client.send('SELECT "[Gmail]/Trash"')
    await client.send('UID MOVE 1 INBOX')
    expect(labels(0)).toEqual(['\\Inbox'])
  })

  test('\\Starred is \\Flagged, and nothing becomes a draft', async () => {
    await client.send('SELECT INBOX')
    await client.send('UID STORE 2 +FLAGS (\\Flagged)')
    expect(labels(1)).toEqual(['\\Inbox', '\\Starred'])
    await client.send('UID STORE 2 -X-GM-LABELS (\\Starred)')
    expect(await client.send('UID FETCH 2 (FLAGS)')).toContain('FLAGS (\\Seen)')
    await client.send('UID STORE 2 +X-GM-LABELS (\\Draft)')
    expect(labels(1)).toEqual(['\\Inbox'])
  })

  test('\\Deleted takes the label away at once, the message is archived', async () => {
    await client.send('SELECT INBOX')
    expect(await client.send('UID STORE 2 +FLAGS (\\Deleted)')).toContain('* 2 EXPUNGE')
    expect(labels(1)).toEqual([])
    expect(await client.send('STATUS "[Gmail]/All Mail" (MESSAGES)')).toContain('MESSAGES 3')
  })
})

describe('searching and fetching', () => {
  test('knows X-GM-RAW, X-GM-LABELS, X-GM-THRID, and OR of many', async () => {
    const [one, two] = store().messages()
    await client.send('EXAMINE "[Gmail]/All Mail"')
    expect(await client.send('UID SEARCH X-GM-RAW "rfc822msgid:2@x is:read"')).toContain('* SEARCH 2\r\n')
    expect(await client.send('UID SEARCH X-GM-LABELS "Muy Importante"')).toContain('* SEARCH 1\r\n')
    expect(await client.send(`UID SEARCH OR X-GM-MSGID ${one?.msgid} X-GM-MSGID ${two?.msgid}`)).toContain(
      '* SEARCH 1 2\r\n',
    )
    expect(await client.send(`UID SEARCH RETURN (MIN MAX COUNT) X-GM-THRID ${two?.thrid}`)).toContain(
      'UID MIN 2 MAX 2 COUNT 1\r\n',
    )
    expect(await client.send('UID SEARCH X-GM-MSGID abc')).toBe('BAD Could not parse command\r\n')
  })

  test('finds whole words, not parts of them', async () => {
    await client.send('EXAMINE "[Gmail]/All Mail"')
    expect(await client.send('UID SEARCH SUBJECT archived')).toContain('* SEARCH 3\r\n')
    expect(await client.send('UID SEARCH SUBJECT archiv')).toContain('* SEARCH\r\n')
    expect(await client.send('UID SORT (ARRIVAL) UTF-8 ALL')).toBe('BAD Unknown command\r\n')
  })

  test('an answer is in the thread of what it answers', async () => {
    const [first] = store().messages()
    const answer = store().add({ raw: letter({ messageId: '<4@x>', extra: ['In-Reply-To: <1@x>'] }) })
    expect(answer.thrid).toBe(first?.msgid)
  })

  test('parts, partial bytes and chosen fields', async () => {
    const { msgid } = store().add({ raw: MIXED, labels: ['Work'] })
    await client.send('EXAMINE Work')
    const uid = store().mailbox('Work')?.uidOf(msgid)
    expect(await client.send(`UID FETCH ${uid} (BODY.PEEK[1.1] BODY.PEEK[2]<4.3> BODY.PEEK[3.1])`)).toContain(
      'BODY[1.1] {15}\r\nGr=C3=BC=C3=9Fe BODY[2]<4> {3}\r\nRi0 BODY[3.1] {10}\r\ninner text)',
    )
    expect(await client.send(`UID FETCH ${uid} (BODY.PEEK[HEADER.FIELDS (SUBJECT MIME-VERSION)])`)).toContain(
      '{37}\r\nSubject: parts\r\nMIME-Version: 1.0\r\n\r\n)',
    )
    expect(await client.send(`UID FETCH ${uid} (BODYSTRUCTURE)`)).toContain('"MESSAGE" "RFC822" NIL NIL NIL "7BIT"')
    expect(await client.send(`UID FETCH ${uid} (BODY.PEEK[9])`)).toContain('BODY[9] NIL')
    expect(await client.send('FETCH 99 (UID)')).toBe('BAD [CLIENTBUG] FETCH Bad sequence in the command\r\n')
  })
})

describe('the wire', () => {
  test('commands may come all at once, with literals of either kind', async () => {
    client.write('a SELECT {5+}\r\nINBOX\r\nb UID SEARCH SUBJECT {6}\r\nsecond\r\nc NOOP\r\n')
    const all = await client.until('c OK Success\r\n')
    expect(all).toContain('a OK [READ-WRITE] INBOX selected. (Success)\r\n+ go ahead\r\n* SEARCH 2\r\nb OK')
  })

  test('a literal without waiting has at most 4096 bytes', async () => {
    client.write(`a SELECT {4097+}\r\n${'x'.repeat(4097)}\r\n`)
    expect(await client.until('\r\n')).toContain('* BYE [TOOBIG]')
  })

  test('what others change is told between commands, and while idling', async () => {
    await client.send('SELECT INBOX')
    client.write('a IDLE\r\n')
    await client.until('+ idling\r\n')
    store().add({ raw: letter({ subject: 'new' }) })
    expect(await client.until('\r\n')).toBe('* 3 EXISTS\r\n')
    client.write('DONE\r\n')
    expect(await client.until('\r\n')).toBe('a OK IDLE terminated (Success)\r\n')
    const [first] = store().messages()
    if (first !== undefined) store().removeLabel(first, '\\Inbox')
    expect(await client.send('FETCH 1:* (UID)')).toBe('* 2 FETCH (UID 2)\r\n* 3 FETCH (UID 3)\r\nOK Success\r\n')
    expect(await client.send('NOOP')).toBe('* 1 EXPUNGE\r\nOK Success\r\n')
  })

  test('the same bytes appended twice are one message', async () => {
    const raw = letter({ messageId: '<again@x>' })
    for (const [index, box] of ['Work', 'INBOX'].entries()) {
      client.write(`a${index} APPEND ${box} (\\Seen) {${raw.length}}\r\n`)
      await client.until('+ go ahead\r\n')
      client.write(`${raw}\r\n`)
      await client.until(`a${index} OK [APPENDUID`)
    }
    expect(store().messages()).toHaveLength(4)
    expect(labels(3)).toEqual(['Work', '\\Inbox'])
  })
})
