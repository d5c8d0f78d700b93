import { spawn, spawnSync } from 'node:child_process'
import { linkSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createVault } from '../../src/adapters/vault/vault.ts'
import type { EntryState } from '../../src/core/outbox/entry.ts'
import { findApproval } from '../../src/core/outbox/match-approval.ts'
import { byHand, front, HOUR, NOW, newEntry, newPlace, person } from './scene.ts'

const approval = { via: 'file', by: 'vault', at: NOW } as const

describe('a request', () => {
  test('is posted whole, for its owner alone, and says what a person has to know', async () => {
    const { vault, root, path, read, list } = newPlace()
    const thread = { id: '0018', inReplyTo: undefined, references: [] }
    const entry = newEntry({ kind: 'reply', cc: [person('b@example.org'), person('c@example.org')], thread })
    expect(await vault.post(entry, NOW)).toBe(`vault/Pending_Approval/${entry.id}.md`)
    const text = read('Pending_Approval', `${entry.id}.md`)
    const [matter = ''] = text.split('\n---\n')
    expect(matter.split('\n')).toEqual([
      '---',
      `id: ${entry.id}`,
      'type: email_reply',
      'account: work',
      'from: me@example.org',
      'to: ada@example.org',
      'cc: [b@example.org, c@example.org]',
      'subject: "Lunch"',
      'thread_id: "0018"',
      `digest: ${entry.digest}`,
      'created: 2026-05-06T10:00:00.000Z',
      'expires: 2026-05-07T10:00:00.000Z',
      'status: pending',
    ])
    expect(text).toContain('Hello')
    expect(list('Pending_Approval')).toEqual([`${entry.id}.md`])
    expect(statSync(path('Pending_Approval', `${entry.id}.md`)).mode & 0o777).toBe(0o600)
    expect(statSync(path('Pending_Approval', `${entry.id}.md`)).nlink).toBe(1)
    for (const folder of ['', 'Pending_Approval', 'Approved', 'Rejected', 'Done', 'Needs_Operator']) {
      expect([folder, statSync(join(root, folder)).mode & 0o777]).toEqual([folder, 0o700])
    }
  })

  test('is posted once, however often it is asked for, and keeps what a person wrote into it', async () => {
    const { vault, list, put, read } = newPlace()
    const entry = newEntry()
    await Promise.all(Array.from({ length: 10 }, () => vault.post(entry, NOW)))
    expect(list('Pending_Approval')).toEqual([`${entry.id}.md`])
    put('Pending_Approval', `${entry.id}.md`, 'mine')
    await vault.post(entry, NOW)
    expect(read('Pending_Approval', `${entry.id}.md`)).toBe('mine')
  })

  test('of a message that is too long for its file is read back, says so, and approves nothing', async () => {
    const { vault, path, read } = newPlace()
    const entry = newEntry({ text: 'ä€😀\n'.repeat(200_000) })
    await vault.post(entry, NOW)
    renameSync(path('Pending_Approval', `${entry.id}.md`), path('Approved', `${entry.id}.md`))
    const approvals = await vault.approvals()
    expect(approvals).toMatchObject({ files: [{ id: entry.id, type: 'notice', digest: undefined }], ignored: [] })
    expect(read('Approved', `${entry.id}.md`)).toContain('moving this file does not approve it')
    for (const requireDigest of [true, false]) {
      const found = findApproval(entry, approvals, { now: NOW, requireDigest, onlyAccount: true })
      expect(found).toEqual({
        kind: 'none',
        notes: [`${entry.id}.md shows only a part of the message, so it approves nothing`],
      })
    }
    const many = newEntry({ to: Array.from({ length: 20_000 }, (_, one) => person(`person-${one}@example.org`)) })
    await expect(vault.post(many, NOW)).rejects.toMatchObject({ code: 'too_large' })
  })

  test('has an id that is a name of a file and nothing else', async () => {
    const { vault } = newPlace()
    for (const id of ['', '..', '../x', 'a/b', 'a\\b', 'a\0b', 'a.b', 'ä']) {
      await expect(vault.post({ ...newEntry(), id }, NOW)).rejects.toMatchObject({ code: 'invalid_input' })
      await expect(vault.isRejected(id)).rejects.toMatchObject({ code: 'invalid_input' })
    }
  })

  test('is rejected where a person has put it there, or written so', async () => {
    const { vault, path, put } = newPlace()
    const [one, two, three] = [newEntry(), newEntry(), newEntry()]
    for (const entry of [one, two, three]) await vault.post(entry, NOW)
    expect(await vault.isRejected(one.id)).toBe(false)
    renameSync(path('Pending_Approval', `${one.id}.md`), path('Rejected', `${one.id}.md`))
    put('Approved', `${two.id}.md`, front(`id: ${two.id}`, 'status: Rejected'))
    put('Pending_Approval', `${three.id}.md`, front(`id: ${one.id}`, 'status: rejected'))
    const said = await Promise.all([one, two, three, newEntry()].map(({ id }) => vault.isRejected(id)))
    expect(said).toEqual([true, true, false, false])
  })
})

describe('among the approvals', () => {
  test('there is nothing where there is no vault', async () => {
    expect(await newPlace().vault.approvals()).toEqual({ files: [], ignored: [] })
  })

  test('are files as they stand there, oldest first', async () => {
    const { vault, put } = newPlace()
    const seed = ['type: email_send', 'to: "Ada <ada@example.org>, b@example.org"', 'status: approved']
    put('Approved', 'b.md', front(...seed, 'created: 2026-05-06 09:00:00Z'))
    put(
      'Approved',
      'a.MD',
      front('TYPE: email_reply', 'thread_id: 0018', 'Subject: 007', 'cc: [a@b.org, "c@d.org"]', 'bcc: ~'),
    )
    const dated = ['approved_at: 2026-05-06T10:30:00+02:00', 'created: 2020-01-01', 'account: work']
    put(
      'Approved',
      'c.md',
      front('to:', '  - "\\"x,y\\"@example.org"', '  - b@example.org', ...dated).replaceAll('\n', '\r\n'),
    )
    const { files, ignored } = await vault.approvals()
    expect(ignored).toEqual([])
    const none = { id: undefined, digest: undefined, status: undefined, to: [], cc: [], bcc: [], account: undefined }
    const rest = { ...none, type: '', subject: undefined, threadId: undefined }
    expect(files).toEqual([
      { ...rest, file: 'c.md', to: ['"x,y"@example.org', 'b@example.org'], account: 'work', at: NOW - 1.5 * HOUR },
      {
        ...rest,
        file: 'b.md',
        type: 'email_send',
        status: 'approved',
        to: ['Ada <ada@example.org>', 'b@example.org'],
        at: NOW - HOUR,
      },
      {
        ...rest,
        file: 'a.MD',
        type: 'email_reply',
        threadId: '0018',
        subject: '007',
        cc: ['a@b.org', 'c@d.org'],
        at: NOW,
      },
    ])
  })

  const unreadable: readonly [string, string][] = [
    ['no front matter', 'type: email_send\n'],
    ['one that does not end', '---\ntype: email_send\n'],
    ['broken YAML', front('type: "email_send')],
    ['a list', front('- a')],
    ['a key twice', front('to: a@b.org', 'to: c@d.org')],
    ['a key twice in other letters', front('digest: a', 'Digest: b')],
    ['an alias', front('to: &x a@b.org', 'cc: *x')],
    ['an anchor', front('to: &x a@b.org')],
    ['a tag', front('to: !!str a@b.org')],
    ['a mapping for a value', front('subject: {a: b}')],
    ['a mapping among addresses', front('to: [a@b.org, {a: b}]')],
    ['a list for a value', front('digest: [a, b]')],
    ['a time that is none', front('approved_at: yesterday')],
    ['a time without a month', front('created: 2026-99-01')],
    ['deep nesting', front(`x: ${'['.repeat(60_000)}`)],
    ['nothing', ''],
  ]
  test.each(unreadable)('a file with %s counts for nothing, and that is said', async (_, text) => {
    const { vault, put } = newPlace()
    put('Approved', 'x.md', text)
    const { files, ignored } = await vault.approvals()
    expect(files).toEqual([])
    expect(ignored).toEqual([{ file: 'x.md', why: expect.stringMatching(/^has .{10,}/) }])
  })

  test('what is no plain file is not looked at, and that is said', async () => {
    const { vault, put, path, root } = newPlace()
    put('Approved', 'good.md', byHand())
    put('Done', 'used.md', byHand())
    put('Approved', 'large.md', byHand(`note: ${'x'.repeat(300_000)}`))
    put('Approved', 'latin.md', '')
    writeFileSync(path('Approved', 'latin.md'), Buffer.from(byHand('note: \xe4'), 'latin1'))
    put('Approved', 'notes.txt', byHand())
    put('Approved', 'a\u202eb.md', byHand())
    put('Approved', '.hidden.md', byHand())
    symlinkSync(path('Done', 'used.md'), path('Approved', 'link.md'))
    symlinkSync('good.md', path('Approved', 'sibling.md'))
    symlinkSync('nowhere', path('Approved', 'dangling.md'))
    linkSync(path('Done', 'used.md'), path('Approved', 'second.md'))
    mkdirSync(path('Approved', 'folder.md'))
    expect(spawnSync('mkfifo', [path('Approved', 'pipe.md')]).status).toBe(0)
    const server = createServer().listen(path('Approved', 'socket.md'))
    onTestFinished(() => void server.close())
    await expect.poll(() => server.listening).toBe(true)
    const { files, ignored } = await vault.approvals()
    expect(files.map(({ file }) => file)).toEqual(['good.md'])
    expect(Object.fromEntries(ignored.map(({ file, why }) => [file, why]))).toEqual({
      'large.md': 'is larger than 256 kB',
      'latin.md': 'is no UTF-8 text',
      'notes.txt': 'does not end in .md',
      'a?b.md': 'has a name that is too long or does not show as what it is',
      'link.md': 'is a link, which is never followed',
      'sibling.md': 'is a link, which is never followed',
      'dangling.md': 'is a link, which is never followed',
      'second.md': 'has a second name elsewhere',
      'folder.md': 'is no regular file',
      'pipe.md': 'is no regular file',
      'socket.md': 'is no regular file',
    })
    rmSync(join(root, 'Approved'), { recursive: true })
    symlinkSync(join(root, 'Done'), join(root, 'Approved'))
    await expect(vault.approvals()).rejects.toMatchObject({ code: 'unavailable', message: /Approved in it is a link/ })
    expect(await vault.take('used.md', 'letter', always)).toBe(false)
  })

  test('at most a thousand are looked at, the newest', async () => {
    const { vault, put } = newPlace()
    for (let one = 0; one < 1003; one += 1) put('Approved', `${one}.md`, byHand(), NOW - one * 1000)
    const { files, ignored } = await vault.approvals()
    expect(files).toHaveLength(1000)
    expect([files[0]?.file, files.at(-1)?.file]).toEqual(['999.md', '0.md'])
    expect(ignored).toEqual([{ file: '1000.md', why: expect.stringContaining('and 2 others') }])
  })
})

const always = (): boolean => true

describe('an approval', () => {
  test('is taken once, by one of many processes, and never lost', async () => {
    const { vault, root, put, list } = newPlace()
    const files = Array.from({ length: 30 }, (_, one) => `${one}.md`)
    for (const file of files) put('Approved', file, byHand(`note: ${file}`))
    const takers = [0, 1, 2].map(() => {
      const words = [join(import.meta.dirname, 'taker.ts'), root, ...files]
      const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
      onTestFinished(() => void child.kill('SIGKILL'))
      const said: string[] = []
      createInterface({ input: child.stdout }).on('line', (line) => said.push(line))
      return { child, said }
    })
    for (const { said } of takers) await expect.poll(() => said.length).toBe(1)
    for (const { child } of takers) child.stdin.end()
    const own = await Promise.all(files.map(async (file) => ((await vault.take(file, 'letter', always)) ? [file] : [])))
    for (const { said } of takers) await expect.poll(() => said.length).toBe(2)
    const got = [...own.flat(), ...takers.flatMap(({ said }) => (said[1] ?? '').split(' '))].filter((one) => one !== '')
    expect(got.toSorted()).toEqual(files.toSorted())
    expect(list('Approved')).toEqual([])
    expect(list('Done')).toHaveLength(30)
  })

  test('that is taken takes no other’s place, and is put back as it was', async () => {
    const { vault, put, read, list, path } = newPlace()
    put('Done', 'x.md', 'older')
    put('Done', 'x-2.md', 'old')
    const text = byHand()
    put('Approved', 'x.md', text, NOW - HOUR)
    expect(await vault.take('x.md', 'letter', always)).toBe(true)
    expect(await vault.take('x.md', 'letter', always)).toBe(false)
    expect(await vault.take('unknown.md', 'letter', always)).toBe(false)
    expect(list('Done').toSorted()).toEqual(['x-2.md', 'x.md', 'x.sending-letter.md'])
    await vault.putBack('x.md', 'letter')
    expect(read('Approved', 'x.md')).toBe(text)
    expect(statSync(path('Approved', 'x.md')).mtimeMs).toBe(NOW - HOUR)
    expect([read('Done', 'x.md'), read('Done', 'x-2.md'), list('Done').length]).toEqual(['older', 'old', 2])
    expect(await vault.take('x.md', 'letter', always)).toBe(true)
    put('Approved', 'x.md', 'another')
    await vault.putBack('x.md', 'letter')
    expect([read('Approved', 'x.md'), read('Approved', 'x-2.md')]).toEqual(['another', text])
  })

  test('that was used up for one letter is not put back for another of its name', async () => {
    const { vault, put, read, list } = newPlace()
    const [first, second] = [byHand('note: the first'), byHand('note: the second')]
    put('Approved', 'yes.md', first)
    expect(await vault.take('yes.md', 'one', always)).toBe(true)
    put('Approved', 'yes.md', second)
    expect(await vault.take('yes.md', 'two', always)).toBe(true)
    await vault.putBack('yes.md', 'two')
    expect(read('Approved', 'yes.md')).toBe(second)
    expect(list('Done').map((file) => read('Done', file))).toEqual([first])
  })

  test('that does not allow the letter as it is by then stays as it is', async () => {
    const { vault, put, read, list, path } = newPlace()
    const text = byHand()
    put('Approved', 'x.md', text, NOW - HOUR)
    put('Approved', 'y.md', 'no front matter')
    expect(await vault.take('x.md', 'letter', ({ file, at }) => file !== 'x.md' || at !== NOW - HOUR)).toBe(false)
    expect(await vault.take('y.md', 'letter', always)).toBe(false)
    expect([list('Approved').toSorted(), list('Done')]).toEqual([['x.md', 'y.md'], []])
    expect([read('Approved', 'x.md'), statSync(path('Approved', 'x.md')).mtimeMs]).toEqual([text, NOW - HOUR])
  })

  test('is a file of the folder and nothing else', async () => {
    const { vault, put, path } = newPlace()
    put('Done', 'x.md', byHand())
    put('Approved', 'y.md', byHand())
    for (const file of ['', '.', '..', '../Done/x.md', 'a/b.md', 'a\\b', 'a\0b', '.x.md']) {
      await expect(vault.take(file, 'letter', always)).rejects.toMatchObject({ code: 'invalid_input' })
      await expect(vault.putBack(file, 'letter')).rejects.toMatchObject({ code: 'invalid_input' })
    }
    symlinkSync(path('Done', 'x.md'), path('Approved', 'link.md'))
    linkSync(path('Done', 'x.md'), path('Approved', 'second.md'))
    expect(await vault.take('link.md', 'letter', always)).toBe(false)
    expect(await vault.take('second.md', 'letter', always)).toBe(false)
    for (const letter of ['', '../x', 'a.b']) {
      await expect(vault.take('y.md', letter, always)).rejects.toMatchObject({ code: 'invalid_input' })
    }
  })

  test('that is taken says for which letter, to whoever comes after a crash', async () => {
    const { vault, root, put, list, read } = newPlace()
    const entry = newEntry()
    const long = `${'ä'.repeat(120)}.md`
    for (const file of ['yes.md', 'back.MD', long]) {
      put('Approved', file, byHand())
      expect(await vault.take(file, entry.id, always)).toBe(true)
    }
    put('Done', 'other.md', byHand())
    const next = createVault({ directory: root })
    const taken = await next.taken()
    expect(taken.map(({ file, letter }) => [file.slice(0, 7), letter]).toSorted()).toEqual(
      ['yes.md', 'back.MD', long.slice(0, 7)].map((file) => [file, entry.id]).toSorted(),
    )
    await next.putBack('back.MD', entry.id)
    expect(read('Approved', 'back.MD')).toBe(byHand())
    const lost = { ...entry, state: { kind: 'needs_operator', approval, at: NOW } as const }
    // By two at once, as by a process that lives and one that starts.
    for (const { file } of await next.taken()) {
      await Promise.all([vault, next].map((one) => one.move(lost, 'Needs_Operator', file)))
    }
    expect(await next.taken()).toEqual([])
    expect(list('Done')).toEqual(['other.md'])
    expect(list('Needs_Operator')).toHaveLength(3)
    expect(list('Needs_Operator')).toContain('yes.md')
    expect(read('Needs_Operator', 'yes.md')).toContain('status: needs_operator')
  })

  test('of a vault that was never made is not there', async () => {
    expect(await newPlace().vault.take('x.md', 'letter', always)).toBe(false)
  })
})

describe('what has become of a letter', () => {
  const endings: readonly [EntryState, 'Done' | 'Rejected' | 'Needs_Operator', readonly string[]][] = [
    [
      { kind: 'sent', approval, at: NOW, refused: [], filed: true },
      'Done',
      ['status: sent', 'sent_at: ', 'approved_at: '],
    ],
    [{ kind: 'failed', at: NOW, reason: 'rejected' }, 'Done', ['status: failed', 'reason: rejected']],
    [{ kind: 'needs_operator', approval, at: NOW }, 'Needs_Operator', ['status: needs_operator']],
    [
      { kind: 'rejected', by: 'anna', at: NOW, reason: 'a: "b"\n---' },
      'Rejected',
      ['status: rejected', 'rejected_by: anna'],
    ],
    [{ kind: 'expired', at: NOW }, 'Done', ['status: expired']],
  ]
  test.each(endings)(
    'is written into its request, which goes where it belongs: $kind',
    async (state, folder, lines) => {
      for (const from of ['Pending_Approval', 'Approved', 'Done'] as const) {
        const { vault, path, list, read, root } = newPlace()
        const entry = newEntry()
        await vault.post(entry, NOW)
        const file = `${entry.id}.md`
        const posted = read('Pending_Approval', file)
        if (from !== 'Pending_Approval') renameSync(path('Pending_Approval', file), path(from, file))
        await vault.move({ ...entry, state }, folder, file)
        for (const other of ['Pending_Approval', 'Approved', 'Rejected', 'Done', 'Needs_Operator'] as const) {
          expect([other, list(other)]).toEqual([other, other === folder ? [file] : []])
        }
        const text = read(folder, file)
        for (const line of lines) expect(text).toContain(`\n${line}`)
        const [matter = '', ...rest] = text.split('\n---\n')
        expect(matter.match(/^status:/gm)).toHaveLength(1)
        // The first paragraph says what has become of it; the letter stays as it was.
        const [told = '', ...letter] = rest.join('\n---\n').split('\n\n')
        expect(letter).toEqual(
          posted
            .slice(posted.indexOf('\n---\n') + 5)
            .split('\n\n')
            .slice(1),
        )
        expect(told).not.toContain('waits for you')
        expect(statSync(path(folder, file)).mode & 0o777).toBe(0o600)
        rmSync(join(root, 'Approved'), { recursive: true })
        renameSync(join(root, folder), join(root, 'Approved'))
        expect(await vault.approvals()).toMatchObject({ files: [{ id: entry.id, digest: entry.digest }], ignored: [] })
      }
    },
  )

  test('is written into the file by hand that allowed it, and its request goes along', async () => {
    const { vault, put, list, read } = newPlace()
    const entry = newEntry()
    await vault.post(entry, NOW)
    put('Approved', 'x.md', byHand('Status_note: keep # me'))
    expect(await vault.take('x.md', entry.id, always)).toBe(true)
    // Another one of the same name: good for another letter.
    put('Approved', 'x.md', byHand())
    await vault.move({ ...entry, state: { kind: 'sent', approval, at: NOW, refused: [], filed: true } }, 'Done', 'x.md')
    expect(list('Approved')).toEqual(['x.md'])
    expect(list('Pending_Approval')).toEqual([])
    expect(list('Done').toSorted()).toEqual([`${entry.id}.md`, 'x.md'].toSorted())
    expect(read('Done', 'x.md')).toContain('\nstatus: sent\n')
    expect(read('Done', 'x.md')).not.toContain('status: approved')
    expect(read('Done', 'x.md')).toContain('Status_note: keep # me\n')
    expect(read('Done', 'x.md')).toContain('---\n\nHello\n')
  })

  test('is never written into what lies among the approvals', async () => {
    const { vault, put, read, path, list } = newPlace()
    const entry = newEntry()
    await vault.post(entry, NOW)
    const approved = { ...entry, state: { kind: 'approved', approval } as const }
    await vault.move(approved, 'Approved')
    expect(list('Pending_Approval')).toEqual([])
    expect(read('Approved', `${entry.id}.md`)).toContain('\nstatus: approved\n')
    put('Approved', `${entry.id}.md`, byHand(), NOW - HOUR)
    await vault.move(approved, 'Approved')
    expect(read('Approved', `${entry.id}.md`)).toBe(byHand())
    expect(statSync(path('Approved', `${entry.id}.md`)).mtimeMs).toBe(NOW - HOUR)
  })

  test('changes nothing where nothing lies, or no plain file', async () => {
    const { vault, put, list, path } = newPlace()
    const entry = { ...newEntry(), state: { kind: 'expired', at: NOW } as const }
    await vault.move(entry, 'Done', 'x.md')
    expect(list('Done')).toEqual([])
    put('Pending_Approval', 'other.md', byHand())
    symlinkSync('other.md', path('Pending_Approval', `${entry.id}.md`))
    await vault.move(entry, 'Done')
    expect(list('Done')).toEqual([])
    expect(list('Pending_Approval')).toHaveLength(2)
  })
})

test('a vault that cannot be made is told so', async () => {
  const { root, vault } = newPlace()
  writeFileSync(root, '')
  await expect(vault.post(newEntry(), NOW)).rejects.toMatchObject({ code: 'unavailable', stage: 'vault' })
})
