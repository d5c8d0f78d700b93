/** All generated tricks, read as an agent reads mail: nothing hidden is shown, nothing is loaded, everything is warned about. */
import { afterAll, describe, expect, test } from 'vitest'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { hasCorpus, techniques } from './mail.ts'
import { showMessage, silent } from './reading.ts'

const all = hasCorpus() ? techniques() : []
/** Browsers show both: `mso-hide` means nothing to them, and pictures that are not loaded are replaced by their text. */
const SHOWN = new Set(['hidden-html-mso-hide', 'hidden-html-alt-attr'])
const wanting = (...wanted: string[]) => all.filter(({ id, expect: wish }) => wanted.includes(wish) && !SHOWN.has(id))
const GREETING = 'please find the notes from our meeting below'

describe.skipIf(all.length === 0)('generated techniques, read', () => {
  const reader = createContentReader(silent)
  afterAll(() => reader.close())

  test('all of them are here', () => {
    expect(all).toHaveLength(177)
  })

  test.each(wanting('hidden'))(
    '$id: what is hidden is in no text and in no HTML, and is warned about',
    async ({ raw, canary }) => {
      const { texts, html, warnings } = await showMessage(reader, raw)
      for (const shown of [...texts, html]) expect(shown).not.toContain(canary)
      expect(texts.join('\n')).toContain(GREETING)
      expect(html).toContain(GREETING)
      expect(warnings.length).toBeGreaterThan(0)
    },
  )

  test.each(wanting('warn'))('$id is warned about', async ({ raw }) => {
    expect((await showMessage(reader, raw)).warnings.length).toBeGreaterThan(0)
  })

  test.each(all)('$id: the HTML loads nothing and runs nothing', async ({ raw }) => {
    const { html } = await showMessage(reader, raw)
    const withoutLinks = html.replace(/ href="(?:https?:\/\/|mailto:)[^"]*" rel="noopener noreferrer nofollow"/g, '')
    const tags = withoutLinks.match(/<[^>]*>/g) ?? []
    for (const tag of tags) expect(tag).toMatch(/^<\/?[a-z][a-z0-9]*(?: (?:colspan|rowspan|start)="\d+")*(?: \/)?>$/)
    for (const tag of tags)
      expect(tag).not.toMatch(/^<(?:img|script|style|link|base|meta|form|iframe|object|svg|math|input|video)/)
    expect(html).not.toMatch(/mailto:[^"]*[?&]/)
  })

  test.each(wanting('no_autofetch', 'visible'))('$id leaves the message readable', async ({ raw }) => {
    expect((await showMessage(reader, raw)).texts.join('')).not.toBe('')
  })
})
