/** All collected mail, on a real server, read back through Postern. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSound, type Live, printFigures, severalAtOnce, startLive } from './live.ts'
import { type CorpusMail, corpusMail, hasCorpus } from './mail.ts'

const IN_FLIGHT = 6
const MAX_BYTES = 1_000_000
const EVERYTHING = { include_html: true, include_all_headers: true, extract_attachment_text: true }

describe.skipIf(!hasCorpus())('the collected mail, read back', () => {
  let mails: CorpusMail[] = []
  let live: Live
  beforeAll(async () => {
    mails = corpusMail()
    live = await startLive(mails.map(({ raw }) => raw))
  })
  afterAll(async () => {
    await printFigures('collected mail', live)
    await live.close()
  })

  test('every message is read', async () => {
    const bad: string[] = []
    await severalAtOnce(IN_FLIGHT, mails, async ({ name }, index) => {
      const message_id = live.idAt(index)
      const { data } = await live.call('imap_get_message', { account_id: 'default', message_id })
      if (data.status !== 'ok') bad.push(`${name}: ${JSON.stringify(data.issues)}`)
      expect(data.message.message_id).toBe(message_id)
    })
    expect(bad).toEqual([])
  })

  test('every tenth is read with all there is to ask for', async () => {
    const failed: string[] = []
    const tenths = mails.map(({ name }, index) => ({ name, index })).filter(({ index }) => index % 10 === 0)
    await severalAtOnce(IN_FLIGHT, tenths, async ({ name, index }) => {
      const args = { account_id: 'default', message_id: live.idAt(index), ...EVERYTHING }
      const { data } = await live.call('imap_get_message', args)
      if (data.status !== 'ok') process.stderr.write(`${data.status} ${name}: ${JSON.stringify(data.issues)}\n`)
      if (data.status === 'failed') failed.push(name)
    })
    expect(failed).toEqual([])
  })

  test('the source of every message is what the server has', async () => {
    const differ: string[] = []
    const stored = await storedSources(live)
    await severalAtOnce(IN_FLIGHT, mails, async ({ name, raw }, index) => {
      const source = stored[index] ?? Buffer.alloc(0)
      const args = { account_id: 'default', message_id: live.idAt(index), max_bytes: MAX_BYTES }
      const { data } = await live.call('imap_get_message_raw', args)
      const bytes = Buffer.from(data.raw_source_base64, 'base64')
      const size = data.size_bytes === source.length && data.truncated === source.length > MAX_BYTES
      const same = bytes.equals(source.subarray(0, MAX_BYTES)) && source.equals(onTheWire(raw))
      if (!size || !same) differ.push(name)
    })
    expect(differ).toEqual([])
  })

  test('nothing was marked as seen by all that', async () => {
    await live.other.imap.mailboxOpen('INBOX')
    expect(await live.other.imap.search({ seen: true }, { uid: true })).toEqual([])
    expect(await live.other.imap.search({ all: true }, { uid: true })).toHaveLength(mails.length)
  })

  test('the program is sound afterwards', async () => {
    await expectSound(live)
  })
})

/** What another mail program gets, in the order of delivery. */
async function storedSources({ other }: Live): Promise<Buffer[]> {
  await other.imap.mailboxOpen('INBOX', { readOnly: true })
  const sources: Buffer[] = []
  for await (const { uid, source } of other.imap.fetch('1:*', { source: true }, { uid: true })) {
    if (source !== undefined) sources[uid - 1] = source
  }
  return sources
}

/** IMAP knows neither a bare LF nor a NUL: of what it was given, Dovecot sends CRLF and 0x80 instead. */
function onTheWire(raw: Uint8Array): Buffer {
  const text = Buffer.from(raw).toString('latin1')
  return Buffer.from(text.replace(/(?<!\r)\n/g, '\r\n').replaceAll('\0', '\x80'), 'latin1')
}
