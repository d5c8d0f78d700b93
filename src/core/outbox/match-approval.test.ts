import { describe, expect, test } from 'vitest'
import type { ApprovalFile } from './approval-file.ts'
import { APPROVAL_MS, type OutboxEntry } from './entry.ts'
import { findApproval } from './match-approval.ts'
import type { Sending } from './sending.ts'

const NOW = 1_700_000_000_000
const RULES = { now: NOW, requireDigest: false, onlyAccount: true }
const person = (address: string) => ({ name: '', address })

function letter(more: Partial<Sending> = {}): OutboxEntry {
  const sending: Sending = {
    kind: 'send',
    caller: 'local',
    account: 'work',
    from: person('me@example.org'),
    to: [person('ada@example.org'), person('bob@example.org')],
    cc: [],
    bcc: [],
    subject: ' Lunch ',
    text: 'Hello',
    html: undefined,
    attachments: [],
    thread: undefined,
    ...more,
  }
  const rest = { messageId: '<1@x>', bytesDigest: 'b', marks: [], created: NOW, expires: NOW + 1 }
  return { id: 'id-1', digest: 'd1', sending, state: { kind: 'waiting' }, ...rest }
}

const reply = (more: Partial<Sending> = {}): OutboxEntry =>
  letter({ kind: 'reply', thread: { id: '0018', inReplyTo: undefined, references: [] }, ...more })

const NOTHING: ApprovalFile = {
  file: 'x.md',
  id: undefined,
  digest: undefined,
  type: '',
  status: undefined,
  to: [],
  cc: [],
  bcc: [],
  subject: undefined,
  threadId: undefined,
  account: undefined,
  at: NOW,
}
const byHand = (more: Partial<ApprovalFile> = {}): ApprovalFile => ({
  ...NOTHING,
  type: 'email_send',
  status: 'approved',
  to: ['Bob <bob@EXAMPLE.org>', 'ada@example.org'],
  ...more,
})
const forThread = (more: Partial<ApprovalFile> = {}): ApprovalFile => ({
  ...NOTHING,
  type: 'email_reply',
  status: 'approved',
  threadId: '0018',
  ...more,
})
const ours = (more: Partial<ApprovalFile> = {}): ApprovalFile =>
  byHand({ id: 'id-1', digest: 'd1', status: 'pending', subject: 'Lunch', account: 'work', ...more })

const find = (files: readonly ApprovalFile[], entry = letter(), rules: Partial<typeof RULES> = {}) =>
  findApproval(entry, { files, ignored: [] }, { ...RULES, ...rules })
const approves = (file: ApprovalFile, entry = letter(), rules: Partial<typeof RULES> = {}): unknown => {
  const found = find([file], entry, rules)
  return found.kind === 'approved' ? found.file : found.notes
}

describe('a request of ours', () => {
  test.each(['pending', 'approved', 'Anything', '', undefined])('counts whatever its status says: %s', (status) => {
    expect(approves(ours({ status }))).toBe('x.md')
    expect(approves(ours({ status, type: '' }), letter(), { requireDigest: true, onlyAccount: false })).toBe('x.md')
  })

  const objections: readonly [Partial<ApprovalFile>, readonly string[]][] = [
    [{ status: 'Rejected' }, ['x.md says that it is rejected']],
    [{ digest: 'd2' }, ['x.md has the digest of another message']],
    [{ digest: '' }, ['x.md has the digest of another message']],
    [{ id: 'id-2' }, ['x.md is the request of an earlier letter']],
    [{ id: 'id-2', digest: 'd2' }, []],
    [{ to: ['ada@example.org'] }, ['x.md differs from the letter in its to']],
    [{ to: ['ada@example.org', 'bob@example.org', 'eve@example.org'] }, ['x.md differs from the letter in its to']],
    [{ cc: ['eve@example.org'] }, ['x.md differs from the letter in its cc']],
    [{ bcc: ['eve@example.org'] }, ['x.md differs from the letter in its bcc']],
    [{ subject: 'Dinner' }, ['x.md differs from the letter in its subject']],
    [{ threadId: '1' }, ['x.md differs from the letter in its thread_id']],
    [{ account: 'home' }, ['x.md differs from the letter in its account']],
    [{ at: NOW - APPROVAL_MS }, ['x.md has expired']],
    [{ at: NOW + APPROVAL_MS }, ['x.md is dated in the future']],
    [{ digest: undefined }, ['x.md does not say status: approved']],
  ]
  test.each(objections)('counts for nothing with %j', (more, notes) => {
    expect(approves(ours(more))).toEqual(notes)
  })

  test('is good until its time is over', () => {
    expect(approves(ours({ at: NOW - APPROVAL_MS + 1 }))).toBe('x.md')
  })
})

describe('a file by hand', () => {
  test('allows a letter to exactly those it names', () => {
    expect(approves(byHand())).toBe('x.md')
    expect(approves(byHand({ type: 'Email_Send', status: 'Approved', subject: 'Lunch', account: 'work' }))).toBe('x.md')
    expect(
      approves(
        byHand({ cc: ['c@x.org'], bcc: ['d@x.org'] }),
        letter({ cc: [person('c@X.org')], bcc: [person('d@x.org')] }),
      ),
    ).toBe('x.md')
    expect(approves(byHand({ to: ['ada@example.org', 'ada@Example.org', 'bob@example.org'] }))).toBe('x.md')
  })

  test('allows a reply in the thread that it names', () => {
    expect(approves(forThread(), reply())).toBe('x.md')
    expect(approves(forThread({ to: byHand().to }), reply())).toBe('x.md')
    expect(approves(forThread({ to: ['eve@example.org'] }), reply())).toEqual([
      'x.md differs from the letter in its to',
    ])
    expect(approves(forThread({ threadId: '18' }), reply())).toEqual([])
    expect(approves(forThread({ threadId: undefined }), reply())).toEqual([])
    expect(approves(byHand(), reply())).toEqual([])
    expect(approves(forThread(), letter())).toEqual([])
    expect(approves(forThread(), reply({ cc: [person('c@x.org')] }))).toEqual([
      'x.md differs from the letter in its cc',
    ])
  })

  const others: readonly Partial<ApprovalFile>[] = [
    { to: [] },
    { to: ['ada@example.org'] },
    { to: ['Ada@example.org', 'bob@example.org'] },
    { to: ['ada@example.org', 'bob@example.org', 'eve@example.org'] },
    { to: ['ada@example.org', 'bob@example.org', ''] },
    { to: ['ada@example.org', 'everybody'] },
    { type: '' },
    { type: 'email_reply' },
  ]
  test.each(others)('is about another letter with %j', (more) => {
    expect(approves(byHand(more))).toEqual([])
  })

  const objections: readonly [Partial<ApprovalFile>, string][] = [
    [{ status: undefined }, 'does not say status: approved'],
    [{ status: 'pending' }, 'does not say status: approved'],
    [{ status: 'rejected' }, 'does not say status: approved'],
    [{ cc: ['eve@example.org'] }, 'differs from the letter in its cc'],
    [{ subject: '' }, 'differs from the letter in its subject'],
    [{ account: 'home' }, 'differs from the letter in its account'],
    [{ threadId: '0018' }, 'differs from the letter in its thread_id'],
    [{ id: 'id-2' }, 'has the id of another letter'],
    [{ at: NOW - APPROVAL_MS }, 'has expired'],
  ]
  test.each(objections)('counts for nothing with %j', (more, why) => {
    expect(approves(byHand(more))).toEqual([`x.md ${why}`])
  })

  test('does not allow those that nobody is told of', () => {
    expect(approves(byHand(), letter({ bcc: [person('eve@example.org')] }))).toEqual([
      'x.md differs from the letter in its bcc',
    ])
  })

  test('needs a digest where that is required, and an account where there are several', () => {
    expect(approves(byHand(), letter(), { requireDigest: true })).toEqual([
      'x.md has no digest, which is required here',
    ])
    expect(approves(byHand(), letter(), { onlyAccount: false })).toEqual([
      'x.md does not say which account may send it',
    ])
    expect(approves(byHand({ account: 'work' }), letter(), { onlyAccount: false })).toBe('x.md')
    const bound = { ...NOTHING, type: 'email_send', digest: 'd1', status: 'approved' }
    expect(approves(bound, letter(), { requireDigest: true, onlyAccount: false })).toBe('x.md')
    expect(approves({ ...bound, status: 'pending' })).toEqual(['x.md does not say status: approved'])
    expect(approves({ ...bound, type: 'email_reply' })).toEqual(['x.md has another type'])
    expect(approves({ ...bound, digest: 'd2' })).toEqual([])
  })
})

describe('of several files', () => {
  test('the oldest of those that say the same is used', () => {
    const [a, b, c] = [
      byHand({ file: 'a.md' }),
      byHand({ file: 'b.md', at: NOW - 1 }),
      byHand({ file: 'c.md', at: NOW - 1 }),
    ]
    expect(find([a, c, b])).toEqual({ kind: 'approved', file: 'b.md' })
    const moved = [ours({ file: 'o.md' }), ours({ file: 'p.md', status: 'approved', at: NOW - 1 })]
    expect(find(moved)).toEqual({ kind: 'approved', file: 'p.md' })
    // In another order they are the same people.
    expect(find([a, byHand({ file: 'z.md', to: ['ada@example.org', 'bob@example.org'], at: NOW - 5 })])).toEqual({
      kind: 'approved',
      file: 'z.md',
    })
  })

  test.each<Partial<ApprovalFile>>([{ subject: 'Lunch' }, { account: 'work' }, { digest: 'd1' }, { id: 'id-1' }])(
    'none counts where one also says %j',
    (more) => {
      const notes = ['a.md', 'b.md'].map((file) => `${file} allows it, and another file does so in other words`)
      expect(find([byHand({ file: 'a.md' }), byHand({ file: 'b.md', ...more })])).toEqual({ kind: 'none', notes })
    },
  )

  test('what does not match is in nobody’s way', () => {
    const files = [byHand({ file: 'a.md', subject: 'Dinner' }), byHand({ file: 'b.md' }), forThread({ file: 'c.md' })]
    expect(find(files)).toEqual({ kind: 'approved', file: 'b.md' })
  })

  test('what could not even be read is told too', () => {
    const ignored = [{ file: 'link.md', why: 'is a link' }]
    expect(findApproval(letter(), { files: [byHand({ at: 0 })], ignored }, RULES)).toEqual({
      kind: 'none',
      notes: ['x.md has expired', 'link.md is a link'],
    })
  })
})
