/** The generated tricks with characters, senders, headers and structure: what hides is removed, what misleads is warned about. */
import { describe, expect, test } from 'vitest'
import type { Warning } from '../../src/core/content.ts'
import { chooseBodies } from '../../src/core/mime/bodies.ts'
import { decodeCharset } from '../../src/core/mime/charset.ts'
import { type LocatedPart, parseStructure } from '../../src/core/mime/structure.ts'
import { decodeTransfer } from '../../src/core/mime/transfer.ts'
import { countUnseenParts, countUnseenText } from '../../src/core/mime/unseen.ts'
import { compareVersions } from '../../src/core/text/alternatives.ts'
import { cleanText } from '../../src/core/text/plain.ts'
import { senderWarnings } from '../../src/core/text/sender.ts'
import { hasCorpus, type Technique, techniques } from './mail.ts'

interface Shown {
  readonly text: string
  readonly warned: boolean
}

function show({ raw }: Technique): Shown {
  const { root, header } = parseStructure(raw)
  const bodies = chooseBodies(root)
  const [plain] = bodies.flatMap((body) => body.plain)
  const [html] = bodies.flatMap((body) => (body.plain.length > 0 ? body.html : []))
  const read = (part: LocatedPart): { text: string; warnings: readonly Warning[] } =>
    cleanText(
      decodeCharset(decodeTransfer(raw.subarray(part.start, part.end), part.encoding), part.parameters['charset']),
    )
  const body = plain && read(plain)
  const versions = html && body && compareVersions(body.text, read(html).text.replace(/<[^>]*>/g, ' '))
  const differ = versions !== undefined && versions.onlyPlain.length + versions.longOnlyHtml > 0
  const unseen = countUnseenParts(root) + countUnseenText(raw, root)
  const warnings = [...senderWarnings(header), ...(body?.warnings ?? [])]
  return { text: body?.text ?? '', warned: warnings.length > 0 || unseen > 0 || differ }
}

const OURS = ['unicode', 'sender', 'header', 'mime']
const ours = hasCorpus() ? techniques().filter(({ cls }) => OURS.includes(cls)) : []

describe.skipIf(ours.length === 0)('generated techniques', () => {
  test.each(ours.filter(({ expect: wanted }) => wanted === 'hidden'))(
    '$id stays hidden and is warned about',
    (technique) => {
      const { text, warned } = show(technique)
      expect(text).not.toContain(technique.canary)
      expect(warned).toBe(true)
    },
  )

  test.each(ours.filter(({ expect: wanted }) => wanted === 'warn'))('$id is warned about', (technique) => {
    expect(show(technique).warned).toBe(true)
  })

  test.each(ours.filter(({ expect: wanted, cls }) => wanted === 'visible' && cls === 'sender'))(
    '$id is ordinary',
    (technique) => {
      expect(show(technique).warned).toBe(false)
    },
  )
})
