/** Nothing that a person can see is lost on the way to the agent. */
import { afterAll, describe, expect, test } from 'vitest'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { chooseBodies } from '../../src/core/mime/bodies.ts'
import { parseStructure } from '../../src/core/mime/structure.ts'
import { decodeText } from '../../src/core/mime/text-charset.ts'
import { decodeTransfer } from '../../src/core/mime/transfer.ts'
import { benignTexts, corpusMail, hasCorpus } from './mail.ts'
import { bodyOf, encoded, patience, silent } from './reading.ts'

const there = hasCorpus()

const letters = (text: string) => text.match(/[^\s]/gu)?.join('') ?? ''
const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []
const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')

describe.skipIf(!there)('ordinary mail', () => {
  const reader = createContentReader(silent)
  afterAll(() => reader.close())

  test('benign texts come back whole as plain text and as HTML, without a warning about hidden text', async () => {
    const lost: string[] = []
    for (const text of benignTexts()) {
      const plain = await reader.text(encoded(text, 'text/plain'), 1_000_000, patience)
      const page = `<html><head><title>Mail</title></head><body><div><p>${escaped(text)}</p></div></body></html>`
      const html = await reader.text(encoded(page, 'text/html'), 1_000_000, patience)
      const same = [plain, html].every((read) => letters(read.text) === letters(text))
      const calm = [...plain.warnings, ...html.warnings].every(({ kind }) => kind !== 'hidden_text_removed')
      if (!same || !calm) lost.push(text)
    }
    expect(lost).toEqual([])
  })

  test('of HTML mail that hides nothing, the words between the tags are all there', async () => {
    const lossy: string[] = []
    for (const { name, raw } of corpusMail()) {
      const [html] = chooseBodies(parseStructure(raw).root).flatMap((body) => body.html)
      if (html === undefined) continue
      const read = await reader.text(bodyOf(raw, html), 1_000_000, patience)
      if (read.warnings.some(({ kind }) => kind === 'hidden_text_removed')) continue
      const part = bodyOf(raw, html)
      const page = decodeText(decodeTransfer(part.bytes, part.encoding), part)
      const shown = letters(`${read.text}${read.uncertain}`.toLowerCase())
      const lost = words(betweenTags(page)).filter((word) => !shown.includes(word))
      if (lost.length > TOLERATED) lossy.push(`${name}: ${lost.slice(0, 10).join(' ')}`)
    }
    expect(lossy).toEqual([])
  })
})

/** Broken tags and odd encodings make the naive reading below see words where there are none. */
const TOLERATED = 6

function betweenTags(page: string): string {
  return page
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/<(style|script|title|noscript)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\p{L}*&[#\w]+;?\p{L}*/gu, ' ')
}
