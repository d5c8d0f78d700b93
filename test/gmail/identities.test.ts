/** Which message a uid is, whatever label it was found under. */
import { afterEach, describe, expect, test } from 'vitest'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import { startDovecot } from '../dovecot/dovecot.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { never } from '../mail-source/bench.ts'
import { letter } from '../mail-source/messages.ts'
import { type GmailDesk, openDesk } from './desk.ts'
import type { Language, Prefix } from './names.ts'
import type { GmailOptions } from './server.ts'
import type { Message } from './store.ts'

let desk: GmailDesk | undefined
afterEach(async () => {
  await desk?.stop()
  desk = undefined
})

async function open(options: GmailOptions = {}): Promise<GmailDesk> {
  desk = await openDesk(options)
  return desk
}

/** Old mail first, so that uids differ from place to place. */
function fill({ store }: GmailDesk, count: number, label: string): Message[] {
  for (let index = 0; index < 7; index += 1) store.add({ raw: letter({ subject: `old ${index}` }), labels: [] })
  return Array.from({ length: count }, (_, index) =>
    store.add({ raw: letter({ subject: `number ${index}` }), labels: [label, '\\Inbox'] }),
  )
}

describe('identities', () => {
  test.each<[Language, Prefix]>([
    ['en', '[Gmail]'],
    ['de', '[Google Mail]'],
    ['ja', '[Gmail]'],
    ['ru', '[Gmail]'],
  ])('name the id and the uid in All Mail, in %s with %s', async (language, prefix) => {
    const at = await open({ language, prefix })
    const messages = fill(at, 3, 'Work')
    const uids = messages.map((message) => at.uidIn('Work', message))
    const found = await at.source.identities(at.at('Work'), [...uids, 99], never())
    expect(found).toEqual(
      messages.map((message, index) => ({
        uid: uids[index],
        gmMsgid: `${message.msgid}`,
        allMailUid: at.uidIn(at.store.names.all, message),
      })),
    )
    expect(found.map(({ uid, allMailUid }) => uid === allMailUid)).toEqual([false, false, false])
  })

  test('are the same under every label, in the order asked for', async () => {
    const at = await open()
    const [one, two] = fill(at, 2, 'Work') as [Message, Message]
    const here = await at.source.identities(at.at('INBOX'), [at.uidIn('INBOX', two), at.uidIn('INBOX', one)], never())
    const there = await at.source.identities(at.at('Work'), [at.uidIn('Work', two), at.uidIn('Work', one)], never())
    expect(here.map(({ gmMsgid }) => gmMsgid)).toEqual([`${two.msgid}`, `${one.msgid}`])
    expect(there.map(({ gmMsgid, allMailUid }) => ({ gmMsgid, allMailUid }))).toEqual(
      here.map(({ gmMsgid, allMailUid }) => ({ gmMsgid, allMailUid })),
    )
  })

  test('cost three round trips the first time, two when seen before, for any number', async () => {
    const at = await open()
    const messages = fill(at, 180, 'Work')
    const uids = messages.map((message) => at.uidIn('Work', message))
    await at.source.probe(never())
    at.proxy.reset()
    const first = await at.source.identities(at.at('Work'), uids, never())
    expect(at.proxy.roundTrips()).toBe(3)
    at.proxy.reset()
    expect(await at.source.identities(at.at('Work'), uids, never())).toEqual(first)
    expect(at.proxy.roundTrips()).toBe(2)
    expect(first.every(({ allMailUid }) => allMailUid !== undefined)).toBe(true)
    expect(at.gmail.commands().filter((command) => command.length > 4000)).toEqual([])
  })

  test('in All Mail, Trash and Spam cost one, and what is thrown away is not in All Mail', async () => {
    const at = await open({ language: 'fr' })
    const { names } = at.store
    const [kept, trashed, spam] = fill(at, 3, 'Work') as [Message, Message, Message]
    at.store.addLabel(trashed, '\\Trash')
    at.store.addLabel(spam, '\\Spam')
    const uid = at.uidIn(names.all, kept)
    await at.source.probe(never())
    at.proxy.reset()
    expect(await at.source.identities(at.at(names.all), [uid], never())).toEqual([
      { uid, gmMsgid: `${kept.msgid}`, allMailUid: uid },
    ])
    for (const [name, message] of [
      [names.trash, trashed],
      [names.spam, spam],
    ] as const) {
      expect(await at.source.identities(at.at(name), [1], never())).toEqual([
        { uid: 1, gmMsgid: `${message.msgid}`, allMailUid: undefined },
      ])
    }
    expect(at.proxy.roundTrips()).toBe(3)
  })

  test('tell the new uid of a message that was in Trash meanwhile', async () => {
    const at = await open()
    const [message, other] = fill(at, 2, 'Work') as [Message, Message]
    const look = () =>
      at.source.identities(at.at('Work'), [at.uidIn('Work', message), at.uidIn('Work', other)], never())
    const [before] = await look()
    at.store.addLabel(message, '\\Trash')
    at.store.addLabel(message, '\\Inbox')
    at.store.addLabel(message, 'Work')
    const [after, same] = await look()
    expect(after?.allMailUid).toBe(at.uidIn(at.store.names.all, message))
    expect(after?.allMailUid).not.toBe(before?.allMailUid)
    expect(same?.allMailUid).toBe(at.uidIn(at.store.names.all, other))
  })

  test('find All Mail after the account’s language was changed, and labels are swapped there too', async () => {
    const at = await open({ language: 'en' })
    const [message] = fill(at, 1, 'Work') as [Message]
    const before = await at.source.identities(at.at('Work'), [1], never())
    at.store.changeLanguage('ja')
    expect(await at.source.identities(at.at('Work'), [1], never())).toEqual(before)
    await at.source.swapLabel(at.at('Work'), 1, 'INBOX', never())
    expect(at.labels(message)).toEqual(['\\Inbox'])
  })

  test('know no uid in All Mail where the account does not show it', async () => {
    const at = await open({ hidden: ['all'] })
    const [message] = fill(at, 1, 'Work') as [Message]
    expect(await at.source.identities(at.at('Work'), [1], never())).toEqual([
      { uid: 1, gmMsgid: `${message.msgid}`, allMailUid: undefined },
    ])
  })

  test('under another uidvalidity are a conflict, of no uids nothing', async () => {
    const at = await open()
    fill(at, 1, 'Work')
    const stale = { mailbox: 'Work', uidvalidity: 4711 }
    await expect(at.source.identities(stale, [1], never())).rejects.toMatchObject({ code: 'conflict' })
    expect(await at.source.identities(at.at('Work'), [], never())).toEqual([])
    await expect(at.source.identities({ ...stale, mailbox: 'none' }, [1], never())).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('are nothing that other servers know', async () => {
    const dovecot = await startDovecot({ users: { ada: 'pass' } })
    const access = fixedPassword('pass')
    const options = { account: 'x', host: '127.0.0.1', port: dovecot.port, tls: 'none', user: 'ada', access } as const
    const source = createImapSource(options, silentLog)
    const inbox = { mailbox: 'INBOX', uidvalidity: 1 }
    await expect(source.identities(inbox, [1], never())).rejects.toMatchObject({ code: 'unsupported' })
    await expect(source.swapLabel(inbox, 1, 'x', never())).rejects.toMatchObject({ code: 'unsupported' })
    await source.close()
    await dovecot.stop()
  })
})
