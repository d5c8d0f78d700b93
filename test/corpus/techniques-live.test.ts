/** All generated tricks on a real server: what the agent gets through the door holds nothing hidden and says what was. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Listed, Message } from '../imap/answers.ts'
import { expectSound, type Live, listAll, severalAtOnce, startLive } from './live.ts'
import { hasCorpus, type Technique, techniques } from './mail.ts'

const all = hasCorpus() ? techniques() : []
const wanting = (...wanted: Technique['expect'][]): Technique[] =>
  all.filter(({ expect: wish }) => wanted.includes(wish))
/** What the reader of every one of them can see. */
const GREETING = 'please find the notes from our meeting below'

describe.skipIf(all.length === 0)('generated techniques, through the door', () => {
  let live: Live
  const plain = new Map<string, Message>()
  const withHtml = new Map<string, Message>()
  let listed: Listed[] = []

  beforeAll(async () => {
    live = await startLive(all.map(({ raw }) => raw))
    await severalAtOnce(4, all, async ({ id }, index) => {
      const args = { account_id: 'default', message_id: live.idAt(index) }
      plain.set(id, (await live.call('imap_get_message', args)).data.message)
      const more = { ...args, include_html: true, body_max_chars: 20_000 }
      withHtml.set(id, (await live.call('imap_get_message', more)).data.message)
    })
    listed = await listAll(live)
  }, 60_000)
  afterAll(() => live.close())

  test('all of them are here', () => {
    expect([all.length, plain.size, withHtml.size, listed.length]).toEqual([177, 177, 177, 177])
  })

  test.each(wanting('hidden'))(
    '$id: what is hidden is nowhere in the answer, and is warned about',
    ({ id, canary }) => {
      const message = plain.get(id)
      expect(message?.body_text).toContain(GREETING)
      expect(JSON.stringify(message)).not.toContain(canary)
      expect(JSON.stringify(withHtml.get(id))).not.toContain(canary)
      expect(message?.content_warnings).not.toEqual([])
    },
  )

  test.each(wanting('warn'))('$id is warned about', ({ id }) => {
    expect(plain.get(id)?.content_warnings).not.toEqual([])
  })

  test('no snippet and no line of a listing holds what is hidden', () => {
    const canaries = wanting('hidden').map(({ canary }) => canary)
    const shown = JSON.stringify(listed)
    expect(canaries.filter((canary) => shown.includes(canary))).toEqual([])
    expect(listed.filter(({ snippet }) => snippet?.includes(GREETING) === true).length).toBeGreaterThan(150)
  })

  test.each(all)('$id: the HTML loads nothing and runs nothing', ({ id }) => {
    const { body_html = '' } = withHtml.get(id) ?? {}
    // Links are there to be read: nothing follows them by itself.
    const rest = body_html.replace(/ href="(?:https?:\/\/|mailto:)[^"]*" rel="noopener noreferrer nofollow"/g, '')
    for (const tag of rest.match(/<[^>]*>/g) ?? []) {
      expect(tag).toMatch(/^<\/?[a-z][a-z0-9]*(?: (?:colspan|rowspan|start)="\d+")*(?: \/)?>$/)
      expect(tag).not.toMatch(
        /^<(?:img|script|style|link|base|meta|form|iframe|object|embed|svg|math|input|video|audio)/,
      )
    }
  })

  test.each(wanting('no_autofetch', 'visible'))('$id leaves the message readable', ({ id }) => {
    expect(plain.get(id)?.body_text).toMatch(/\p{L}/u)
  })

  test('the program is sound afterwards', async () => {
    await expectSound(live)
  })
})
