/** Looking at very many things at once: what it costs on the wire, and servers with other separators. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { MailboxAt } from '../../src/ports/mail-source.ts'
import { never } from '../mail-source/bench.ts'
import { letter } from '../mail-source/messages.ts'
import { type Desk, startDesk, USER } from './desk.ts'

const MANY = 4000
const SENDER = { fields: ['From', 'Subject'], structure: false }

describe('a server that parts names by dots', () => {
  // Maildir++: every mailbox is a directory beside the others, named by all its levels.
  const extra = 'mail_location = maildir:%h\nnamespace inbox {\n  separator = .\n}'

  test('says so, with or without a listing before', async () => {
    const desk = await startDesk({ extra })
    onTestFinished(() => desk.stop())
    desk.proxy.reset()
    expect(await desk.source.delimiter(never())).toBe('.')
    expect(desk.proxy.sent()).toMatch(/LIST "" ""\r\n$/)
    const other = desk.make()
    await other.mailboxes(never())
    desk.proxy.reset()
    expect([await other.delimiter(never()), desk.proxy.roundTrips()]).toEqual(['.', 0])
  })

  test('has nested mailboxes that are listed, counted and looked at', async () => {
    const { source, other, stop } = await startDesk({ extra })
    onTestFinished(stop)
    const [uid = 0] = await other.seed('Projekte.Köln.R&D', [{ raw: letter({ from: 'zoe@example.org' }) }])
    const byName = new Map((await source.mailboxes(never())).map((mailbox) => [mailbox.name, mailbox]))
    expect(byName.get('Projekte')?.attributes).toEqual(['\\NonExistent', '\\HasChildren'])
    expect(byName.get('Projekte.Köln.R&D')?.attributes).toEqual(['\\HasNoChildren'])
    const asked = ['Projekte', 'Projekte.Köln', 'Projekte.Köln.R&D', 'Projekte/Köln/R&D']
    expect(await source.counts(asked, never())).toEqual([undefined, undefined, 1, undefined])
    const at = { mailbox: 'Projekte.Köln.R&D', uidvalidity: 0 }
    const [one] = await source.traits(at, [uid], { fields: ['From'], structure: false }, never())
    expect(one?.header).toEqual([{ name: 'From', value: 'zoe@example.org' }])
  })
})

describe('the wire', () => {
  let desk: Desk
  let at: MailboxAt
  let uids: readonly number[]
  const find = () => desk.source.find('INBOX', { criteria: {}, take: MANY }, never())
  beforeAll(async () => {
    desk = await startDesk()
    const letters = Array.from({ length: MANY }, (_, index) => ({ raw: letter({ subject: `number ${index}` }) }))
    await desk.dovecot.deliver(USER, 'INBOX', letters)
    const found = await find()
    at = { mailbox: 'INBOX', uidvalidity: found.uidvalidity }
    uids = found.uids
  })
  afterAll(() => desk.stop())

  test('is crossed once for any number of counts, and those of missing mailboxes', async () => {
    const names = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? 'INBOX' : `missing ${index}`))
    desk.proxy.reset()
    const counts = await desk.source.counts(names, never())
    expect(desk.proxy.roundTrips()).toBe(1)
    expect(counts).toEqual(names.map((name) => (name === 'INBOX' ? MANY : undefined)))
  })

  test('is crossed once for the traits of messages just found, which are not opened again', async () => {
    await find()
    desk.proxy.reset()
    const odd = uids.filter((uid) => uid % 2 === 1)
    const traits = await desk.source.traits(at, odd, SENDER, never())
    expect(traits.map(({ uid }) => uid)).toEqual(odd)
    expect(traits.map(({ uid, header }) => [uid, header[1]?.value]).at(-1)).toEqual([1, 'number 0'])
    expect(desk.proxy.roundTrips()).toBe(1)
    expect(desk.proxy.sent()).not.toContain('EXAMINE')
    // So many ranges do not fit into one line.
    const lines = desk.proxy.sent().split('\r\n').slice(0, -1)
    expect(lines.length).toBe(2)
    expect(lines.every((line) => line.length < 8192)).toBe(true)
  })

  test('carries no header where none is asked for, and no structure', async () => {
    await find()
    desk.proxy.reset()
    expect(await desk.source.traits(at, uids, { fields: [], structure: false }, never())).toHaveLength(MANY)
    expect(desk.proxy.sent()).toMatch(/^p\d+ UID FETCH 1:4000 \(UID FLAGS INTERNALDATE RFC822\.SIZE\)\r\n$/)
    await desk.source.traits(at, uids.slice(0, 1), { fields: [], structure: true }, never())
    expect(desk.proxy.sent()).toContain('RFC822.SIZE BODYSTRUCTURE)')
  })

  test('is crossed a second time for headers that are too long for the first', async () => {
    const to = Array.from({ length: 1000 }, (_, index) => `person${index}@example.org`).join(',\r\n ')
    const long = await desk.other.seed('long', [{ raw: letter({}) }, { raw: letter({ to }) }, { raw: letter({ to }) }])
    const { uidvalidity } = await desk.source.find('long', { criteria: {}, take: 1 }, never())
    desk.proxy.reset()
    const wanted = { fields: ['To'], structure: false }
    const traits = await desk.source.traits({ mailbox: 'long', uidvalidity }, long, wanted, never())
    expect(traits.map(({ header }) => header[0]?.value.split(',').length)).toEqual([1, 1000, 1000])
    expect(desk.proxy.roundTrips()).toBe(2)
    expect(desk.proxy.sent()).toContain(`UID FETCH ${long[1]}:${long[2]} (UID BODY.PEEK[HEADER.FIELDS (TO)]<0.262144>)`)
  })

  test('a name of a field that is none is refused before anything is sent', async () => {
    await find()
    desk.proxy.reset()
    for (const name of ['', 'a b', 'a\r\nb', 'a)', 'a]', '"', 'ü']) {
      const wanted = { fields: [name], structure: false }
      await expect(desk.source.traits(at, [1], wanted, never())).rejects.toMatchObject({ code: 'invalid_input' })
    }
    expect(desk.proxy.sent()).toBe('')
  })

  test('a message of another uidvalidity is a conflict also where the mailbox is open', async () => {
    await find()
    const stale = { mailbox: 'INBOX', uidvalidity: at.uidvalidity + 1 }
    await expect(desk.source.traits(stale, [1], SENDER, never())).rejects.toMatchObject({ code: 'conflict' })
  })
})
