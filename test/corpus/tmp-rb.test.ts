import { test } from 'vitest'
import { peakMemoryMb, severalAtOnce, startLive } from './live.ts'
import { corpusMail } from './mail.ts'

test('x', { timeout: 300000 }, async () => {
  const mails = corpusMail()
  const live = await startLive(
    mails.map((m) => m.raw),
    { NODE_OPTIONS: '--require=/tmp/e2e/memlog.cjs ' + (process.env['X_OPT'] ?? '') },
  )
  const say = async (w: string) =>
    process.stderr.write(w + ' HWM ' + (await peakMemoryMb(live.postern)) + ' ' + Math.round(performance.now()) + '\n')
  await severalAtOnce(6, mails, async (_m, i) => {
    await live.call('imap_get_message', { account_id: 'default', message_id: live.idAt(i) })
  })
  await say('text')
  await severalAtOnce(
    6,
    mails.filter((_, i) => i % 10 === 0),
    async (_m, i) => {
      await live.call('imap_get_message', {
        account_id: 'default',
        message_id: live.idAt(i * 10),
        include_html: true,
        include_all_headers: true,
        extract_attachment_text: true,
      })
    },
  )
  await say('all')
  await severalAtOnce(6, mails, async (_m, i) => {
    await live.call('imap_get_message_raw', { account_id: 'default', message_id: live.idAt(i), max_bytes: 1_000_000 })
  })
  await say('raw')
  await live.close()
})
