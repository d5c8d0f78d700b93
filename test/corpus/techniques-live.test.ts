/**
 * All generated tricks on a real server: what the agent gets through the door shows nothing hidden and says what was. What a
 * person may not see stands in `uncertain_text` and nowhere else.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Listed, Message } from '../imap/answers.ts'
import { expectSound, type Live, listAll, severalAtOnce, startLive } from './live.ts'
import { hasCorpus, type Technique, techniques } from './mail.ts'
import { isShownByDesign } from './shown-by-design.ts'

const all = hasCorpus() ? techniques() : []
const wanting = (...wanted: Technique['expect'][]): Technique[] =>
  all.filter(({ expect: wish }) => wanted.includes(wish))
/** What the reader of every one of them can see. */
const GREETING = 'please find the notes from our meeting below'
const hiding = wanting('hidden').filter((one) => !isShownByDesign(one))

interface Answered extends Message {
  readonly uncertain_text?: string
}

/** The whole message but for its own uncertain text: that of an attachment would still be here. */
function shownOf({ uncertain_text: _, ...shown }: Answered): string {
  return JSON.stringify(shown)
}

function read(answers: ReadonlyMap<string, Answered>, id: string): Answered {
  const answer = answers.get(id)
  if (answer === undefined) throw new Error(`${id} was not read`)
  return answer
}

describe.skipIf(all.length === 0)('generated techniques, through the door', () => {
  let live: Live
  const plain = new Map<string, Answered>()
  const withHtml = new Map<string, Answered>()
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
  })
  afterAll(() => live.close())

  test('all of them are here', () => {
    expect([all.length, plain.size, withHtml.size, listed.length]).toEqual([177, 177, 177, 177])
  })

  test.each(hiding)(
    '$id: what is hidden is nowhere in the answer but in uncertain text, and is warned about',
    ({ id, canary }) => {
      for (const message of [read(plain, id), read(withHtml, id)]) {
        expect(message.body_text).toContain(GREETING)
        expect(shownOf(message)).not.toContain(canary)
        expect(message.content_warnings).not.toEqual([])
        const isTold = message.content_warnings.some((warning) => /^uncertain text \([1-9]\d*\)$/.test(warning))
        expect(isTold).toBe(message.uncertain_text !== undefined)
      }
    },
  )

  test('most of what is hidden is in no part of the answer', () => {
    const unsure = hiding.filter(({ id, canary }) => read(plain, id).uncertain_text?.includes(canary))
    expect(unsure.length).toBeGreaterThan(0)
    expect(unsure.length).toBeLessThan(hiding.length / 2)
  })

  test.each(wanting('hidden').filter(isShownByDesign))('$id is shown', ({ id, canary }) => {
    expect(read(plain, id).body_text).toContain(canary)
  })

  test.each(wanting('warn'))('$id is warned about', ({ id }) => {
    expect(plain.get(id)?.content_warnings).not.toEqual([])
  })

  test('no snippet and no line of a listing holds what is hidden', () => {
    const canaries = hiding.map(({ canary }) => canary)
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
