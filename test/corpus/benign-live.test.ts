/** Ordinary mail on a real server: every word of it arrives, and nobody is warned of anything hidden. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Message } from '../imap/answers.ts'
import { letter } from '../mail-source/messages.ts'
import { expectSound, type Live, severalAtOnce, startLive } from './live.ts'
import { benignTexts, hasCorpus } from './mail.ts'

const texts = hasCorpus() ? benignTexts() : []
const words = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== '')
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const asHtml = (text: string): string =>
  letter({ subject: 'ordinary', body: `<html><body><p>${escaped(text)}</p></body></html>` }).replace(
    'text/plain',
    'text/html',
  )

describe.skipIf(texts.length === 0)('ordinary mail, through the door', () => {
  let live: Live
  const read: Message[] = []

  beforeAll(async () => {
    const mails = texts.flatMap((text) => [letter({ subject: 'ordinary', body: text }), asHtml(text)])
    live = await startLive(mails.map((mail) => Buffer.from(mail)))
    await severalAtOnce(4, mails, async (_mail, index) => {
      const args = { account_id: 'default', message_id: live.idAt(index), body_max_chars: 20_000 }
      read[index] = (await live.call('imap_get_message', args)).data.message
    })
  })
  afterAll(() => live.close())

  test('is all here', () => {
    expect([texts.length, read.length]).toEqual([282, 564])
  })

  test.each(['plain text', 'HTML'])('sent as %s has lost no word and gained none', (kind) => {
    const shown = read.filter((_message, index) => index % 2 === (kind === 'HTML' ? 1 : 0))
    expect(shown.map(({ body_text }) => words(body_text ?? ''))).toEqual(texts.map(words))
    expect(shown.filter(({ body_truncated }) => body_truncated === true)).toEqual([])
  })

  test('is not said to hide anything', () => {
    const warned = read.flatMap(({ content_warnings }) => content_warnings)
    expect(warned.filter((warning) => /hidden|invisible|direction|control|deceptive|blank/.test(warning))).toEqual([])
    process.stderr.write(`${warned.length} warnings of other kinds about ordinary mail: ${[...new Set(warned)]}\n`)
  })

  test('the program is sound afterwards', async () => {
    await expectSound(live)
  })
})
