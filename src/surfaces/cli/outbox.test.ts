import { expect, test } from 'vitest'
import { Failure } from '../../core/failure.ts'
import type { EntryState, OutboxEntry } from '../../core/outbox/entry.ts'
import { after } from '../../core/outbox/machine.ts'
import { presentParts } from '../../core/outbox/present.ts'
import type { OutboxDesk } from '../../engine/outbox/desk.ts'
import { approveCommand, rejectCommand } from './approve.ts'
import { asTyped } from './as-typed.ts'
import { type OutboxParts, outboxCommand } from './outbox.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 4, 6, 10, 0)
const PERSON = { via: 'command', name: 'emma', address: 'terminal' } as const
const APPROVAL = { via: 'command', by: 'emma', at: NOW } as const

function letter(state: EntryState = { kind: 'waiting' }, more: Partial<OutboxEntry['sending']> = {}): OutboxEntry {
  return {
    id: 'ob-7f3a91',
    digest: 'd'.repeat(64),
    messageId: '<m@example.com>',
    bytesDigest: 'b'.repeat(64),
    marks: [
      { address: 'bob@examp1e.com', mark: 'look_alike', like: 'bob@example.com' },
      { address: 'carol@example.org', mark: 'new' },
    ],
    created: NOW - 2 * 3_600_000,
    expires: NOW - 2 * 3_600_000 + DAY,
    state,
    sending: {
      kind: 'send',
      caller: 'invoice-agent',
      account: 'work',
      from: { name: '', address: 'me@example.com' },
      to: [{ name: 'Your Boss', address: 'bob@examp1e.com' }],
      cc: [],
      bcc: [{ name: '', address: 'carol@example.org' }],
      subject: 'Invoice 42',
      text: 'Hello',
      html: undefined,
      attachments: [{ filename: 'a\u202efdp.exe', type: 'application/pdf', size: 12, digest: 'a'.repeat(64) }],
      thread: undefined,
      ...more,
    },
  }
}

interface Scene {
  readonly parts: OutboxParts
  readonly said: () => { out: string; err: string }
  readonly done: unknown[]
}

function scene(entry: OutboxEntry, more: Partial<OutboxParts> = {}, text = 'Subject: Invoice 42\n\nHello\n'): Scene {
  const [out, err, done]: [string[], string[], unknown[]] = [[], [], []]
  const desk: OutboxDesk = {
    list: async (asked) => {
      done.push(['list', asked])
      return [entry]
    },
    show: async () => {
      const readers = ['ann@example.com', 'hr@example.com']
      return { entry, ...presentParts(entry), text, body: text, readers, unknownReaders: false }
    },
    approve: async (id, person, acknowledged) => {
      done.push(['approve', id, person, ...(acknowledged ? [true] : [])])
      return { ...entry, state: after(entry.state, { kind: 'approve', approval: APPROVAL }) }
    },
    reject: async (id, person, reason) => {
      done.push(['reject', id, person, reason])
      return { ...entry, state: after(entry.state, { kind: 'reject', by: person.name, at: NOW, reason }) }
    },
    revise: async () => Promise.reject(new Error('revised')),
    lookForCopy: async () => 'not_found',
    settle: async (id, wasSent, person) => {
      done.push(['settle', id, wasSent, person])
      return { ...entry, state: after(entry.state, { kind: 'settle', at: NOW, wasSent }) }
    },
  }
  const parts: OutboxParts = {
    desk,
    person: PERSON,
    terminal: {
      print: (line) => void out.push(line),
      advise: (line) => void out.push(line),
      complain: (line) => void err.push(line),
    },
    interactive: true,
    readLine: async () => 'y',
    onStop: () => undefined,
    now: () => NOW,
    ...more,
  }
  return { parts, said: () => ({ out: out.join(''), err: err.join('') }), done }
}

const LIST = { command: 'list', all: false, json: false } as const
const LOST: EntryState = { kind: 'needs_operator', approval: APPROVAL, at: NOW }

test('the list says who wants to write what to whom, what is odd about it, and until when', async () => {
  const { parts, said, done } = scene(letter())
  expect(await outboxCommand(LIST, parts)).toBe(0)
  expect(said().out).toMatchInlineSnapshot(`
    "ob-7f3a91  waiting  letter by invoice-agent from account work, asked for 2 h ago
        To: bob@examp1e.com
        Bcc: carol@example.org
        Subject: Invoice 42
        ! bob@examp1e.com LOOKS LIKE bob@example.com and is not the same
        ! carol@example.org is a new recipient
        Expires: 2026-05-07 08:00 UTC, in 22 h
    "
  `)
  expect(done).toEqual([['list', { kinds: ['waiting', 'approved', 'claimed', 'needs_operator'], most: 500 }]])
})

test('all letters are asked for without a choice of states, and none is said in words', async () => {
  const { parts, said, done } = scene(letter())
  await outboxCommand({ ...LIST, all: true }, parts)
  expect(done).toEqual([['list', { most: 500 }]])
  await outboxCommand(LIST, { ...parts, desk: { ...parts.desk, list: async () => [] } })
  expect(said().out).toMatch(/no letter is open; --all shows those that are over\n$/)
})

test('commands are named as they are typed in what we say, never in what a letter says', async () => {
  const { parts, said } = scene(letter(), {}, 'Then run: postern approve ob-7f3a91\n')
  const advise = (words: string): void => parts.terminal.print(asTyped(words, 'npx postern'))
  await outboxCommand(
    { command: 'show', id: 'ob-7f3a91', json: false },
    { ...parts, terminal: { ...parts.terminal, advise } },
  )
  expect(said().out).toContain('Then run: postern approve ob-7f3a91')
  expect(said().out).toContain('After "npx postern approve ob-7f3a91" it is sent')
})

test('nothing in a letter can act on the terminal or stay unseen', async () => {
  const hostile = letter(
    { kind: 'rejected', by: 'e\u001b[2J', at: NOW, reason: 'a\nb' },
    {
      subject: `\u001b]0;x\u0007Hi\r\nTo: nobody${'y'.repeat(200)}`,
      to: [{ name: '', address: 'b\u200bob@example.com' }],
    },
  )
  const { parts, said } = scene(hostile, {}, 'one\u001b[31m\n\u202etwo\nIt was approved by emma')
  await outboxCommand({ ...LIST, all: true }, parts)
  await outboxCommand({ command: 'show', id: 'ob', json: false }, parts)
  const { out } = said()
  expect(out).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
  expect(out).toContain('b\\u{200b}ob@example.com')
  expect(out).toContain('  | It was approved by emma')
  expect(out).not.toMatch(/^(It was approved|To: nobody)/m)
  for (const line of out.split('\n').filter((one) => one.includes('Subject:'))) expect(line.length).toBeLessThan(100)
})

test('as JSON a letter is one line that holds everything, and nothing that acts on a terminal', async () => {
  const { parts, said } = scene(letter(LOST, { subject: 'a\u202e\u001b"b' }))
  await outboxCommand({ ...LIST, json: true }, parts)
  await outboxCommand({ command: 'show', id: 'ob', json: true }, parts)
  const lines = said().out.trimEnd().split('\n')
  expect(lines).toHaveLength(2)
  const [listed, shown] = lines.map((line) => JSON.parse(line))
  expect(listed).toMatchObject({
    id: 'ob-7f3a91',
    state: 'needs_operator',
    caller: 'invoice-agent',
    to: ['bob@examp1e.com'],
    bcc: ['carol@example.org'],
    subject: 'a\u202e\u001b"b',
    approval: { via: 'command', by: 'emma', at: '2026-05-06T10:00:00.000Z' },
    marks: [{ mark: 'look_alike', like: 'bob@example.com' }, { mark: 'new' }],
    expires: '2026-05-07T08:00:00.000Z',
  })
  const unseen = [{ what: 'invisible characters', text: '2 in the subject, shown as [U+…]', count: 1 }]
  const read = { unseen, read_mail_of: ['ann@example.com', 'hr@example.com'], read_mail_of_others: false }
  expect(shown).toEqual({ ...listed, text: expect.any(String), ...read })
  expect(said().out).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
})

test.each<[EntryState, RegExp]>([
  [{ kind: 'waiting' }, /waits for a person until 2026-05-07 08:00 UTC, in 22 h\.\nAfter "postern approve ob-7f3a91"/],
  [
    { kind: 'approved', approval: APPROVAL },
    /approved by emma on the command line.*\nIt is sent when the agent asks again/,
  ],
  [{ kind: 'approved', approval: APPROVAL, lastFailure: 'no answer' }, /not sent when last tried: no answer\./],
  [{ kind: 'claimed', approval: { ...APPROVAL, via: 'flow' }, at: NOW }, /being sent since 2026-05-06 10:00 UTC/],
  [LOST, /Nobody knows whether it was sent.*\n"postern outbox ob-7f3a91 --look"/],
  [
    { kind: 'sent', approval: { ...APPROVAL, via: 'file' }, at: NOW, refused: ['x@example.com'], filed: false },
    /by a file in the vault.*\n.*\nThe server did not take it for x@example\.com\.\nNo copy/,
  ],
  [
    { kind: 'failed', at: NOW, reason: 'the server refused it' },
    /was not sent, and will not be: the server refused it/,
  ],
  [{ kind: 'rejected', by: 'emma', at: NOW, reason: 'no' }, /rejected by emma, 2026-05-06 10:00 UTC: no\.$/m],
  [{ kind: 'expired', at: NOW }, /has to ask for it anew/],
])('what comes next for %j', async (state, words) => {
  const { parts, said } = scene(letter(state))
  expect(await outboxCommand({ command: 'show', id: 'ob', json: false }, parts)).toBe(0)
  expect(said().out).toMatch(words)
})

test('one letter is shown as it will be read, then what to know before deciding', async () => {
  const { parts, said } = scene(letter())
  await outboxCommand({ command: 'show', id: 'ob', json: false }, parts)
  expect(said().out).toMatchInlineSnapshot(`
    "ob-7f3a91  waiting  letter by invoice-agent from account work, asked for 2 h ago
        Digest: dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd
        Message-ID: <m@example.com>

      | Subject: Invoice 42
      | 
      | Hello

        Account:  work, asked for by invoice-agent
        From:     me@example.com
        To:       bob@examp1e.com, shown as "Your Boss"
        !         looks like bob@example.com, but is not
        Bcc:      carol@example.org
        !         first message to this address
        Subject:  Invoice 42
        Attached: 12 bytes of application/pdf, SHA-256
                  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
                  aaaa, named "a[U+202E]fdp.exe"
        Within a day invoice-agent has read mail from or to ann@example.com, hr@example.com.

    It waits for a person until 2026-05-07 08:00 UTC, in 22 h.
    After "postern approve ob-7f3a91" it is sent when the agent asks again; "postern reject ob-7f3a91" rejects it.
    "
  `)
})

test.each([
  ['y', 0],
  ['Yes', 0],
  ['', 1],
  ['n', 1],
  ['yellow', 1],
])('whether it is approved after %j', async (answer, code) => {
  const { parts, said, done } = scene(letter(), { readLine: async () => answer })
  expect(await approveCommand({ id: 'ob-7', yes: false }, parts)).toBe(code)
  expect(done).toEqual(code === 0 ? [['approve', 'ob-7f3a91', PERSON]] : [])
  const { out, err } = said()
  expect(out.indexOf('  | Hello')).toBeGreaterThan(0)
  expect(out).toMatch(/To: +bob@examp1e\.com, shown as "Your Boss"\n +! +looks like bob@example\.com, but is not\n/)
  expect(err).toBe('Approve this message as emma? [y/N] ')
  expect(out).toMatch(
    code === 0
      ? /approved: ob-7f3a91\. Nothing was sent yet: it is sent when the agent asks .* again, once, until 2026-05-07 10:00 UTC\n$/
      : /nothing was approved; it stays pending/,
  )
})

test.each([
  [[], false, /has read nobody's mail within a day\.\n/],
  [[], true, /has read mail within a day; whose is not known any more\.\n/],
  [['a@example.net'], true, / from or to a@example\.net, and that of others, who are not known any more\.\n/],
])('whose mail was read, %j and others: %s', async (readers, unknownReaders, line) => {
  const entry = letter()
  const { parts, said } = scene(entry)
  const shown = { entry, ...presentParts(entry) }
  const desk = { ...parts.desk, show: async () => ({ ...shown, readers, unknownReaders }) }
  await outboxCommand({ command: 'show', id: 'ob', json: false }, { ...parts, desk })
  expect(said().out).toMatch(line)
})

test('a letter says once who writes to whom, and of those whose mail was read eight', async () => {
  const entry = letter()
  const { parts, said } = scene(entry)
  const readers = Array.from({ length: 20 }, (_, at) => `r${at}@example.net`)
  const parted = { ...presentParts(entry), readers }
  const desk = { ...parts.desk, show: async () => ({ entry, ...parted, unknownReaders: false }) }
  await outboxCommand({ command: 'show', id: 'ob', json: false }, { ...parts, desk })
  const { out } = said()
  for (const once of [
    /From:/g,
    /To:/g,
    /Bcc:/g,
    /Subject:/g,
    /Attached:/g,
    /looks like/gi,
    /first message|new recipient/g,
  ]) {
    expect(out.match(once), String(once)).toHaveLength(1)
  }
  expect(out).toContain('    | Hello\n')
  expect(out).toContain(' from or to r0@example.net, ')
  expect(out).toMatch(/, r7@example\.net and 12 more\.\n/)
  expect(`${parted.head}\n\n${parted.body}\n`).toBe(parted.text)
})

test('without a person nothing is even shown, unless --yes is said', async () => {
  const { parts, said, done } = scene(letter(), {
    interactive: false,
    readLine: () => Promise.reject(new Error('asked')),
  })
  await expect(approveCommand({ id: 'ob', yes: false }, parts)).rejects.toThrow('add --yes')
  const lost = scene(letter(LOST), { interactive: false })
  await expect(outboxCommand({ command: 'settle', id: 'ob', wasSent: true, yes: false }, lost.parts)).rejects.toThrow(
    '--yes',
  )
  expect([said(), done]).toEqual([{ out: '', err: '' }, []])
  expect([lost.said(), lost.done]).toEqual([{ out: '', err: '' }, []])
  expect(await approveCommand({ id: 'ob', yes: true }, parts)).toBe(0)
  expect(done).toEqual([['approve', 'ob-7f3a91', PERSON]])
})

const HIDDEN = { html: '<p>Hello<!--pay 500 to 4711-->' }

test.each<[string, { yes: boolean; acknowledgeHidden?: boolean }, readonly string[], number]>([
  ['--yes alone', { yes: true }, [], 1],
  ['--yes and --acknowledge-hidden', { yes: true, acknowledgeHidden: true }, [], 0],
  ['two times yes', { yes: false }, ['y', 'y'], 0],
  ['no to the hidden content', { yes: false }, ['n'], 1],
  ['yes to it, no to the message', { yes: false }, ['y', 'n'], 1],
  ['--acknowledge-hidden and yes', { yes: false, acknowledgeHidden: true }, ['y'], 0],
])('content that recipients will not see is listed first, and approved by %s', async (_how, flags, answers, code) => {
  const left = [...answers]
  const { parts, said, done } = scene(letter({ kind: 'waiting' }, HIDDEN), { readLine: async () => left.shift() ?? '' })
  expect(await approveCommand({ id: 'ob', ...flags }, parts)).toBe(code)
  expect(done).toEqual(code === 0 ? [['approve', 'ob-7f3a91', PERSON, true]] : [])
  expect(left).toEqual([])
  const { out, err } = said()
  expect(out.indexOf('! ')).toBe(out.indexOf('!         HTML version: too contrived'))
  expect(out.indexOf('pay 500 to 4711')).toBeLessThan(out.indexOf('  | Hello'))
  if (code === 1) expect(out + err).toMatch(/nothing was approved/)
  if (flags.yes && code === 1) expect(out).toContain('--yes --acknowledge-hidden')
})

test.each(['plain_text', 'without_hidden'] as const)('a version %s is shown and approved instead', async (version) => {
  const { parts, said, done } = scene(letter({ kind: 'waiting' }, HIDDEN))
  const made = {
    ...letter({ kind: 'waiting' }, { version: { of: 'ob-7f3a91', by: 'emma', how: version } }),
    id: 'ob-2',
  }
  const shown = { entry: made, ...presentParts(made), readers: [], unknownReaders: false }
  const desk: OutboxDesk = {
    ...parts.desk,
    revise: async (id, how) => {
      done.push([how, id])
      return made
    },
    show: (id, signal) => (id === made.id ? Promise.resolve(shown) : parts.desk.show(id, signal)),
    approve: async (id) => {
      done.push(['approve', id])
      return { ...made, state: { kind: 'sent', approval: APPROVAL, at: NOW, refused: [], filed: true } }
    },
  }
  expect(await approveCommand({ id: 'ob', yes: true, version }, { ...parts, desk })).toBe(0)
  expect(done).toEqual([
    [version, 'ob-7f3a91'],
    ['approve', 'ob-2'],
  ])
  expect(said().out).toMatch(/sent: ob-2\. The message that it replaces, ob-7f3a91, is rejected\.\n$/)
})

test('a letter that is not there is said so, also where nobody could be asked', async () => {
  const { parts } = scene(letter(), { interactive: false })
  const show = (): Promise<never> => Promise.reject(new Failure('not_found', 'there is no letter with that id'))
  const without = { ...parts, desk: { ...parts.desk, show } }
  await expect(approveCommand({ id: 'x', yes: false }, without)).rejects.toThrow('no letter')
  await expect(outboxCommand({ command: 'settle', id: 'x', wasSent: true, yes: false }, without)).rejects.toThrow(
    'no letter',
  )
})

test('what is no longer waiting is not asked about', async () => {
  const { parts, said, done } = scene(letter({ kind: 'expired', at: NOW }), {
    readLine: () => Promise.reject(new Error('asked')),
  })
  expect(await approveCommand({ id: 'ob', yes: true }, parts)).toBe(1)
  expect(await approveCommand({ id: 'ob', yes: false }, parts)).toBe(1)
  expect(done).toEqual([])
  expect(said().err).toContain('it cannot be approved now. Its time ran out')
})

test('a person who stops instead of answering has not approved', async () => {
  const stops: (() => void)[] = []
  const { parts, done } = scene(letter(), {
    onStop: (stop) => void stops.push(stop),
    readLine: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        for (const stop of stops) stop()
      }),
  })
  await expect(approveCommand({ id: 'ob', yes: false }, parts)).rejects.toMatchObject({
    code: 'cancelled',
    message: 'stopped; nothing was approved',
  })
  expect(done).toEqual([])
})

test.each([
  [undefined, undefined, /It will not be sent; the agent is told so\n$/],
  ['  ', undefined, /the agent is told so\n$/],
  [' not to them ', 'not to them', /told so, and why: not to them\n$/],
])('a rejection for the reason %j', async (reason, passed, words) => {
  const { parts, said, done } = scene(letter())
  expect(await rejectCommand({ id: 'ob', ...(reason !== undefined && { reason }) }, parts)).toBe(0)
  expect(done).toEqual([['reject', 'ob', PERSON, passed]])
  expect(said().out).toMatch(words)
})

test('rejecting a version says that the message of the agent is unchanged', async () => {
  const version = { of: 'ob-first', by: 'anna', how: 'plain_text' } as const
  const { parts, said } = scene(letter({ kind: 'waiting' }, { version }))
  expect(await rejectCommand({ id: 'ob' }, parts)).toBe(0)
  expect(said().out).toMatch(/This version will not be sent\. The message of the agent, ob-first, is unchanged\.\n$/)
})

test.each(['a\nb', 'x'.repeat(501)])('a reason that is none', async (reason) => {
  const { parts, done } = scene(letter())
  await expect(rejectCommand({ id: 'ob', reason }, parts)).rejects.toThrow(/--reason is one line/)
  expect(done).toEqual([])
})

test.each([
  [true, 'y', 0, /settled: it was sent\n$/],
  [false, 'y', 0, /settled: it was not sent\. The agent may ask for it anew/],
  [true, '', 1, /nothing was settled\n$/],
])('settling one as sent (%j) after %j', async (wasSent, answer, code, words) => {
  const { parts, said, done } = scene(letter(LOST), { readLine: async () => answer })
  expect(await outboxCommand({ command: 'settle', id: 'ob', wasSent, yes: false }, parts)).toBe(code)
  expect(done).toEqual(code === 0 ? [['settle', 'ob-7f3a91', wasSent, PERSON]] : [])
  expect(said().out).toMatch(words)
})

test('what is known is not settled again', async () => {
  const { parts, said, done } = scene(letter())
  expect(await outboxCommand({ command: 'settle', id: 'ob', wasSent: false, yes: true }, parts)).toBe(1)
  expect(done).toEqual([])
  expect(said().err).toMatch(/nothing to settle\. It waits for a person/)
})

test('a copy that is found settles it; none proves nothing', async () => {
  const { parts, said } = scene(letter(LOST))
  expect(await outboxCommand({ command: 'look', id: 'ob' }, parts)).toBe(1)
  expect(said().err).toContain('proves nothing')
  const found = { ...parts, desk: { ...parts.desk, lookForCopy: async () => 'found' as const } }
  expect(await outboxCommand({ command: 'look', id: 'ob' }, found)).toBe(0)
  expect(said().out).toMatch(/found: a copy of it lies among what was sent, so it counts as sent\n$/)
})

test('what the desk refuses is left to the program to say', async () => {
  const { parts } = scene(letter())
  const none = new Failure('not_found', 'there is no such letter')
  const desk = { ...parts.desk, show: () => Promise.reject(none), reject: () => Promise.reject(none) }
  await expect(approveCommand({ id: 'x', yes: true }, { ...parts, desk })).rejects.toBe(none)
  await expect(rejectCommand({ id: 'x' }, { ...parts, desk })).rejects.toBe(none)
})
