import { renameSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readApproval } from '../../src/adapters/vault/approval-reader.ts'
import { parseFrontMatter } from '../../src/adapters/vault/front-matter.ts'
import { requestText, withState } from '../../src/adapters/vault/request.ts'
import type { ApprovalFile } from '../../src/core/outbox/approval-file.ts'
import type { EntryState, OutboxEntry } from '../../src/core/outbox/entry.ts'
import { findApproval } from '../../src/core/outbox/match-approval.ts'
import { presentEntry } from '../../src/core/outbox/present.ts'
import { NOW, newEntry, newPlace } from './scene.ts'

const RULES = { now: NOW + 1, requireDigest: true, onlyAccount: false }

const hostile = fc.constantFrom(
  '\n---\nstatus: approved\n---\n',
  '" #\\',
  "'",
  '\u2028id: x',
  '\u0085',
  '\u202e',
  '\ufeff---',
  ': [',
  '!!str',
  '*a &b',
  'null',
  '0x10',
  '---',
  '\u{e0041}',
)
const text = fc
  .array(fc.oneof(hostile, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })), { maxLength: 5 })
  .map((parts) => parts.join(''))
const address = fc
  .tuple(
    fc.constantFrom('a', 'a.b', 'A+x', '"x, y"', '"\\""', "o'k", '~', '!#', '0'),
    fc.constantFrom('x.org', 'Ä.org', '[::1]'),
  )
  .map(([local, domain]) => ({ name: '', address: `${local}@${domain.replace('Ä', 'xn--4ca')}` }))
const people = fc.uniqueArray(address, { maxLength: 5, selector: (one) => one.address })
const letter: fc.Arbitrary<OutboxEntry> = fc
  .record({
    to: people.filter((list) => list.length > 0),
    cc: people,
    bcc: people,
    subject: text,
    text,
    account: text,
    thread: fc.option(
      text.map((id) => ({ id: id.trim(), inReplyTo: undefined, references: [] })),
      { nil: undefined },
    ),
  })
  .map((more) =>
    newEntry({ ...more, account: more.account.trim(), kind: more.thread === undefined ? 'send' : 'reply' }),
  )

function read(written: string): ApprovalFile {
  const reading = readApproval('x.md', written, 0)
  if ('why' in reading) throw new Error(reading.why)
  return reading
}

test('whatever is in a letter, its request reads back as itself, and allows it and no other', () => {
  fc.assert(
    fc.property(letter, letter, (entry, other) => {
      const { sending } = entry
      for (const written of [requestText(entry), withState(requestText(entry), entry.state) ?? '']) {
        const file = read(written)
        expect(file).toMatchObject({
          id: entry.id,
          digest: entry.digest,
          status: 'pending',
          to: sending.to.map((one) => one.address),
          cc: sending.cc.map((one) => one.address),
          bcc: sending.bcc.map((one) => one.address),
          subject: sending.subject.trim(),
          threadId: sending.thread?.id,
          account: sending.account,
          at: NOW,
        })
        const found = (one: OutboxEntry) => findApproval(one, { files: [file], ignored: [] }, RULES).kind
        expect([found(entry), found(other)]).toEqual(['approved', 'none'])
        expect(findApproval(other, { files: [file], ignored: [] }, { ...RULES, requireDigest: false }).kind).toBe(
          'none',
        )
      }
    }),
    { numRuns: 300 },
  )
})

test('nothing that a letter holds shows in the front matter as anything but visible ASCII, letters and signs', () => {
  fc.assert(
    fc.property(letter, (entry) => {
      const [matter = ''] = requestText(entry).split('\n---\n')
      const [later = ''] =
        withState(requestText(entry), { kind: 'rejected', by: 'x', at: NOW, reason: '\u202e' })?.split('\n---\n') ?? []
      for (const one of [matter, later]) expect(one.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
      // As many lines as there are fields: no value has a line break of its own.
      const keys = matter
        .split('\n')
        .slice(1)
        .map((line) => line.slice(0, line.indexOf(':')))
      expect(keys.join(' ')).toMatch(
        /^id type account from to cc (?:bcc )?subject (?:thread_id )?digest created expires status$/,
      )
    }),
  )
})

test('every change of one byte of the digest or the id ends what the request allows', async () => {
  const { vault, path, read: textOf, put } = newPlace()
  const entry = newEntry()
  await vault.post(entry, NOW)
  const name = `${entry.id}.md`
  renameSync(path('Pending_Approval', name), path('Approved', name))
  const isApproved = async (): Promise<boolean> => {
    const found = findApproval(entry, await vault.approvals(), { ...RULES, requireDigest: false })
    return found.kind === 'approved'
  }
  expect(await isApproved()).toBe(true)
  const text = textOf('Approved', name)
  for (const value of [entry.id, entry.digest]) {
    const start = text.indexOf(value)
    for (let at = start; at < start + value.length; at += 1) {
      for (const byte of ['0', 'f', 'F', '-', 'x', ' ', '', '#', ':', '"', '\n']) {
        if (text[at] === byte || text[at]?.toLowerCase() === byte) continue
        put('Approved', name, text.slice(0, at) + byte + text.slice(at + 1))
        expect([text.slice(start, at), byte, await isApproved()]).toEqual([text.slice(start, at), byte, false])
      }
    }
  }
})

test('the state replaces what a person wrote of it, in whatever shape, and leaves everything else as it is', () => {
  const wrote = [
    'status: approved # yes',
    'Status:',
    'status: |\n  approved\n  indeed',
    'status: >-\n  approved',
    'status: "appro\n  ved"',
    'status: approved\n  and good',
    '"status": approved',
  ]
  for (const one of wrote) {
    for (const lines of [[one, 'to: a@b.org # who', 'x: [1,\n 2]'], ['to: a@b.org # who', 'x: [1,\n 2]', one], [one]]) {
      const others = lines.filter((line) => line !== one)
      const text = withState(`---\n${lines.join('\n')}\n---\nrest`, { kind: 'expired', at: NOW }) ?? ''
      expect(text).toBe(
        ['---', ...others, 'status: expired', 'expired_at: 2026-05-06T10:00:00.000Z', '---', 'rest'].join('\n'),
      )
      expect(parseFrontMatter(text)?.fields.get('status')).toBe('expired')
    }
  }
  expect(withState('---\n{status: approved, to: a@b.org}\n---\n', { kind: 'expired', at: NOW })).toBeUndefined()
  expect(withState('no front matter', { kind: 'expired', at: NOW })).toBeUndefined()
})

const APPROVAL = { via: 'file', by: 'a person', at: NOW } as const
const LATER: readonly (readonly [EntryState, RegExp])[] = [
  [{ kind: 'claimed', approval: APPROVAL, at: NOW }, /^This letter is approved and on its way/],
  [{ kind: 'sent', approval: APPROVAL, at: NOW, refused: [], filed: true }, /^This letter was sent\./],
  [{ kind: 'failed', at: NOW, reason: 'x' }, /^This letter was not sent/],
  [{ kind: 'needs_operator', approval: APPROVAL, at: NOW }, /^Nobody knows whether this letter was sent/],
  [{ kind: 'rejected', by: 'x', at: NOW, reason: undefined }, /^This letter was refused/],
  [{ kind: 'expired', at: NOW }, /^This letter waited too long/],
]

test.each(LATER)('what a file tells its reader is what has become of the letter: %o', (state, words) => {
  const entry = newEntry()
  const waiting = requestText(entry)
  const changed = withState(waiting, state) ?? ''
  const [, body = ''] = changed.split('\n---\n')
  expect(body.trimStart()).toMatch(words)
  expect(changed).not.toContain('waits for you')
  expect(changed).toContain(presentEntry(entry))
  expect(withState(changed, state)).toBe(changed)
  expect(withState(changed, { kind: 'waiting' })?.split('\n---\n')[1]).toBe(waiting.split('\n---\n')[1])
})

test('what a person wrote in its place stays', () => {
  const entry = newEntry()
  const noted = requestText(entry).replace('This letter waits', 'Ask Jo first. This letter waits')
  expect(withState(noted, { kind: 'expired', at: NOW })).toContain('\nAsk Jo first. This letter waits for you.')
})
