/** Moving by labels: what Gmail does, what it cannot do, and what is left when something breaks. */
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { never } from '../mail-source/bench.ts'
import { letter } from '../mail-source/messages.ts'
import { type GmailDesk, openDesk } from './desk.ts'
import { type Language, type Place, SPECIAL } from './names.ts'
import type { GmailOptions } from './server.ts'
import type { Message } from './store.ts'

let desk: GmailDesk | undefined
afterEach(async () => {
  await desk?.stop()
  desk = undefined
})

async function open(options: GmailOptions = {}): Promise<GmailDesk> {
  desk = await openDesk({ labels: ['Work', 'Later'], ...options })
  for (let index = 0; index < 3; index += 1) desk.store.add({ raw: letter({ subject: `old ${index}` }), labels: [] })
  return desk
}

function add({ store }: GmailDesk, ...labels: string[]): Message {
  return store.add({ raw: letter({ subject: labels.join(' ') }), labels })
}

async function swap(at: GmailDesk, message: Message, from: string, to: string) {
  const placed = await at.source.swapLabel(at.at(from), at.uidIn(from, message), to, never())
  return { placed, there: { uidvalidity: at.at(to).uidvalidity, uid: at.uidIn(to, message) } }
}

describe('swapLabel', () => {
  test('takes the message out of one label, puts it under another and leaves the rest', async () => {
    const at = await open()
    const message = add(at, '\\Inbox', 'Work', 'Receipts')
    const { placed, there } = await swap(at, message, 'Work', 'Later')
    expect(at.labels(message)).toEqual(['Later', 'Receipts', '\\Inbox'])
    expect(placed).toEqual(there)
  })

  test('adds first, in a command of its own, and works in All Mail', async () => {
    const at = await open({ language: 'de' })
    const message = add(at, 'Work')
    at.gmail.forget()
    await swap(at, message, 'Work', 'INBOX')
    const uid = at.uidIn(at.store.names.all, message)
    expect(at.gmail.commands().filter((command) => /SELECT|STORE/.test(command))).toEqual([
      'SELECT "Work"',
      'SELECT "[Gmail]/Alle Nachrichten"',
      `UID STORE ${uid} +X-GM-LABELS (\\Inbox)`,
      `UID STORE ${uid} -X-GM-LABELS ("Work")`,
    ])
  })

  test.each<[Language, Place]>(
    (['en', 'de', 'ja', 'ru', 'zh-TW'] as const).flatMap((language) =>
      (['important', 'sent', 'starred', 'trash', 'spam'] as const).map((place): [Language, Place] => [language, place]),
    ),
  )('in %s, to the mailbox for %s and back', async (language, place) => {
    const at = await open({ language })
    const name = at.store.names[place]
    const message = add(at, '\\Inbox')
    const gone = await swap(at, message, 'INBOX', name)
    expect(at.labels(message)).toEqual([SPECIAL[place].label])
    expect(gone.placed).toEqual(gone.there)
    const back = await swap(at, message, name, 'INBOX')
    expect(at.labels(message)).toEqual(['\\Inbox'])
    expect(back.placed).toEqual(back.there)
  })

  test('from All Mail only adds, to All Mail only takes away', async () => {
    const at = await open({ language: 'fr' })
    const { all } = at.store.names
    const message = add(at, 'Receipts')
    const added = await swap(at, message, all, 'Work')
    expect(added.placed).toEqual(added.there)
    expect(at.labels(message)).toEqual(['Receipts', 'Work'])
    const { placed, there } = await swap(at, message, 'Work', all)
    expect(placed).toEqual(there)
    expect(at.labels(message)).toEqual(['Receipts'])
  })

  test('to Trash takes every label, and from a draft is the one way out', async () => {
    const at = await open()
    const { drafts, trash, sent, spam } = at.store.names
    const message = add(at, 'Work', 'Later', '\\Inbox')
    await swap(at, message, 'Work', trash)
    expect(at.labels(message)).toEqual(['\\Trash'])
    const draft = add(at, '\\Draft')
    for (const to of ['INBOX', 'Work', sent, spam]) {
      await expect(swap(at, draft, drafts, to)).rejects.toMatchObject({ code: 'rejected' })
    }
    expect(at.labels(draft)).toEqual(['\\Draft'])
    await swap(at, draft, drafts, trash)
    expect(at.labels(draft)).toEqual(['\\Trash'])
  })

  test('nothing becomes a draft', async () => {
    const at = await open()
    const message = add(at, 'Work')
    await expect(swap(at, message, 'Work', at.store.names.drafts)).rejects.toMatchObject({ code: 'rejected' })
    expect(at.labels(message)).toEqual(['Work'])
  })

  test('a missing destination is not_found, and no label is made', async () => {
    const at = await open()
    const message = add(at, 'Work')
    for (const to of ['Nowhere', '[Gmail]', '\\Inbox']) {
      await expect(swap(at, message, 'Work', to)).rejects.toMatchObject({ code: 'not_found' })
    }
    await expect(swap(at, message, 'Work', 'a\r\nb')).rejects.toMatchObject({ code: 'invalid_input' })
    expect(at.labels(message)).toEqual(['Work'])
    expect(at.store.mailbox('Nowhere')).toBeUndefined()
  })

  test('a label named like one of Google’s own is refused, one that only looks so is not', async () => {
    const at = await open({ labels: ['Work', '\\Drafts'] })
    const message = add(at, 'Work')
    await swap(at, message, 'Work', '\\Drafts')
    expect(at.labels(message)).toEqual(['\\Drafts'])
    at.store.createLabel('\\trash')
    await expect(swap(at, message, '\\Drafts', '\\trash')).rejects.toMatchObject({ code: 'rejected' })
    expect(at.labels(message)).toEqual(['\\Drafts'])
  })

  test('stale, missing and unshown are said before anything is done', async () => {
    const at = await open({ hidden: ['all'] })
    const message = add(at, 'Work')
    const stale = { mailbox: 'Work', uidvalidity: 4711 }
    await expect(at.source.swapLabel(stale, 1, 'Later', never())).rejects.toMatchObject({ code: 'conflict' })
    await expect(at.source.swapLabel(at.at('Work'), 99, 'Later', never())).rejects.toMatchObject({ code: 'not_found' })
    await expect(swap(at, message, 'Work', 'Later')).rejects.toMatchObject({ code: 'unsupported' })
    expect(at.gmail.commands().filter((command) => command.includes('STORE'))).toEqual([])
  })

  test('to where it is already changes nothing', async () => {
    const at = await open()
    const message = add(at, 'Work')
    const { placed, there } = await swap(at, message, 'Work', 'Work')
    expect(placed).toEqual(there)
    expect(at.labels(message)).toEqual(['Work'])
  })
})

describe('a connection that breaks', () => {
  test.each([
    ['at the answer to the new label', '+X-GM-LABELS', 'move', ['Later', 'Work']],
    ['at the answer to the old label', '-X-GM-LABELS', 'unlabel', ['Later']],
  ])('%s leaves the outcome unknown and the message in sight', async (_when, text, stage, labels) => {
    const at = await open()
    const message = add(at, 'Work')
    at.proxy.cutAtAnswerTo(text)
    await expect(swap(at, message, 'Work', 'Later')).rejects.toMatchObject({ code: 'outcome_unknown', stage })
    await expect.poll(() => at.labels(message)).toEqual(labels)
    expect(at.gmail.commands().filter((command) => command.includes(text))).toHaveLength(1)
  })

  test('after the change is no failure: only the new uid is not known', async () => {
    const at = await open()
    const message = add(at, 'Work')
    at.proxy.cutAtAnswerTo('EXAMINE "Later"')
    expect((await swap(at, message, 'Work', 'Later')).placed).toBeUndefined()
    expect(at.labels(message)).toEqual(['Later'])
  })

  test('before anything was sent is tried again', async () => {
    const at = await open()
    const message = add(at, 'Work')
    await at.source.probe(never())
    at.gmail.cutAll()
    const { placed, there } = await swap(at, message, 'Work', 'Later')
    expect(placed).toEqual(there)
  })
})

/** What people can call a label: any characters, with levels that are not empty. */
const names = fc
  .array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 3 })
  .map((levels) => levels.map((level) => level.replace(/[\p{Cc}/]/gu, '_')).join('/'))
  .filter((name) => name.isWellFormed() && !/^inbox$/i.test(name) && !/^\[(?:Gmail|Google Mail)\]/i.test(name))

const NASTY = [
  '"',
  '\\',
  'a"b\\c',
  '{5}',
  '{5+}',
  ') (x',
  'x\\"',
  '%*',
  'R&D',
  '&-',
  '~{3}',
  'NIL',
  '(\\Seen)',
  ' ',
  'Ünï/📬',
]

describe('label names', () => {
  test('of any kind go there and back, and nothing else changes', async () => {
    const at = await open()
    const message = add(at, '\\Inbox')
    const bystander = add(at, 'Work')
    const check = async (name: string): Promise<void> => {
      if (at.store.createLabel(name) === undefined) return
      const there = await swap(at, message, 'INBOX', name)
      expect(there.placed).toEqual(there.there)
      expect(at.labels(message)).toEqual([name])
      const [identity] = await at.source.identities(at.at(name), [there.there.uid], never())
      expect(identity?.gmMsgid).toBe(`${message.msgid}`)
      await swap(at, message, name, 'INBOX')
      expect(at.labels(message)).toEqual(['\\Inbox'])
      const made = at.store.mailbox(name)
      if (made !== undefined) at.store.deleteLabel(made)
      expect(at.labels(bystander)).toEqual(['Work'])
      expect(
        at.store
          .mailboxes()
          .filter(({ place }) => place === undefined)
          .map((mailbox) => mailbox.name),
      ).toEqual(['INBOX', 'Work', 'Later'])
    }
    for (const name of NASTY) await check(name)
    await fc.assert(fc.asyncProperty(names, check), { numRuns: 60 })
  })
})
