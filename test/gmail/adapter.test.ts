/**
 * The adapter where Gmail differs from other servers. The contract holds on it (contract.test.ts) but for what stands
 * here: deleting takes a label away, the same bytes are one message, text is found by whole words.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import type { Access } from '../../src/ports/access.ts'
import { makeCertificate } from '../dovecot/certificate.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { never } from '../mail-source/bench.ts'
import { letter } from '../mail-source/messages.ts'
import { accountOptions, type GmailDesk, openDesk } from './desk.ts'
import { type GmailOptions, startGmail } from './server.ts'

let desk: GmailDesk | undefined
afterEach(async () => {
  await desk?.stop()
  desk = undefined
})

async function open(options: GmailOptions = {}): Promise<GmailDesk> {
  desk = await openDesk({ labels: ['Work'], ...options })
  return desk
}

describe('mailboxes', () => {
  test.each(['en-GB', 'de', 'fr', 'ja', 'ru', 'zh-TW'] as const)('have their roles in %s', async (language) => {
    const at = await open({ language, prefix: '[Google Mail]' })
    const { names } = at.store
    const listed = await at.source.mailboxes(never())
    const roles = Object.fromEntries(listed.flatMap(({ role, name }) => (role === undefined ? [] : [[role, name]])))
    const { all, drafts, sent, spam, starred, trash } = names
    expect(roles).toEqual({ all, drafts, sent, trash, junk: spam, flagged: starred })
    const important = listed.find(({ name }) => name === names.important)
    expect(important?.attributes).toContain('\\Important')
    expect(listed.find(({ name }) => name === '[Google Mail]')?.selectable).toBe(false)
  })

  test('are counted in one round trip, each message under each of its labels', async () => {
    const at = await open({ language: 'ja' })
    at.store.add({ raw: letter({}), labels: ['\\Inbox', 'Work'] })
    at.store.add({ raw: letter({}), labels: ['\\Trash'] })
    const { all, trash } = at.store.names
    await at.source.probe(never())
    at.proxy.reset()
    expect(await at.source.counts(['INBOX', 'Work', all, trash, 'none'], never())).toEqual([1, 1, 1, 1, undefined])
    expect(at.proxy.roundTrips()).toBe(1)
  })
})

describe('Gmail’s ways', () => {
  test('flagging \\Deleted takes the label away at once: nothing is left to expunge, the message is archived', async () => {
    const at = await open()
    const message = at.store.add({ raw: letter({}), labels: ['Work'] })
    await at.source.changeFlags(at.at('Work'), 1, 'add', ['\\Deleted'], never())
    await expect(at.source.expunge(at.at('Work'), 1, never())).rejects.toMatchObject({ code: 'not_found' })
    expect(at.labels(message)).toEqual([])
    expect(at.uidIn(at.store.names.all, message)).toBe(1)
  })

  test('a copy is the same message: flags change in both places', async () => {
    const at = await open()
    const message = at.store.add({ raw: letter({}), labels: ['\\Inbox'] })
    const placed = await at.source.copy(at.at('INBOX'), 1, 'Work', never())
    expect(placed).toEqual({ uidvalidity: at.at('Work').uidvalidity, uid: 1 })
    await at.source.changeFlags(at.at('Work'), 1, 'add', ['\\Flagged', 'todo'], never())
    expect(await at.source.flags(at.at('INBOX'), 1, never())).toEqual(['\\Flagged', 'todo'])
    expect(at.labels(message)).toEqual(['Work', '\\Inbox', '\\Starred'])
  })

  test('a copy to Trash takes every other label', async () => {
    const at = await open({ language: 'de' })
    const message = at.store.add({ raw: letter({}), labels: ['\\Inbox', 'Work'] })
    await at.source.copy(at.at('Work'), 1, at.store.names.trash, never())
    expect(at.labels(message)).toEqual(['\\Trash'])
    await expect(at.source.flags(at.at('INBOX'), 1, never())).rejects.toMatchObject({ code: 'not_found' })
  })

  test('the same bytes appended elsewhere are the same message', async () => {
    const at = await open()
    const bytes = Buffer.from(letter({ subject: 'once' }))
    await at.source.append('Work', { bytes, flags: ['\\Seen'] }, never())
    await at.source.append('INBOX', { bytes, flags: [] }, never())
    expect(at.store.messages()).toHaveLength(1)
    const [one] = await at.source.identities(at.at('INBOX'), [1], never())
    const [same] = await at.source.identities(at.at('Work'), [1], never())
    expect(one?.gmMsgid).toBe(same?.gmMsgid)
  })

  test('text is found by whole words', async () => {
    const at = await open()
    at.store.add({ raw: letter({ subject: 'Quarterly figures' }) })
    const find = async (subject: string) =>
      (await at.source.find('INBOX', { criteria: { subject }, take: 9 }, never())).uids
    expect(await find('quarterly')).toEqual([1])
    expect(await find('quarter')).toEqual([])
  })

  test('a server that takes its time is waited for, and one call does not wait for another', async () => {
    const at = await open({ slowMs: 20 })
    at.store.add({ raw: letter({}) })
    const found = await Promise.all(
      Array.from({ length: 6 }, () => at.source.find('INBOX', { criteria: {}, take: 9 }, never())),
    )
    expect(found.map(({ uids }) => uids)).toEqual(Array.from({ length: 6 }, () => [1]))
    expect(at.proxy.accepted()).toBeLessThanOrEqual(3)
  })
})

describe('logging in', () => {
  const byToken = (accessToken: string): Access => ({
    credentials: async () => ({ kind: 'token', accessToken }),
    standing: async () => ({ state: 'active', mayWrite: true }),
    refused: async () => undefined,
  })

  test('with an access token, which may be taken back', async () => {
    const at = await open()
    const options = { ...accountOptions(at.gmail), access: byToken('good token') }
    const source = createImapSource(options, silentLog)
    expect(await source.probe(never())).toContain('X-GM-EXT-1')
    await source.close()
    at.gmail.account().tokens.delete('good token')
    const later = createImapSource(options, silentLog)
    await expect(later.probe(never())).rejects.toMatchObject({ code: 'auth_failed' })
    await later.close()
  })

  test('over TLS', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'postern-gmail-'))
    const { caFile, certFile, keyFile } = await makeCertificate(directory)
    const [ca, cert, key] = await Promise.all([caFile, certFile, keyFile].map((file) => readFile(file, 'utf8')))
    const gmail = await startGmail({ tls: { cert: cert ?? '', key: key ?? '' } })
    const source = createImapSource(
      { ...accountOptions(gmail), host: 'localhost', tls: 'implicit', ca: ca ?? '' },
      silentLog,
    )
    expect(await source.probe(never())).toContain('X-GM-EXT-1')
    await source.close()
    await gmail.stop()
    await rm(directory, { recursive: true })
  })
})
