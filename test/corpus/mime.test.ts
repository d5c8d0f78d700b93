/** Every collected message is taken apart, whole and cut off, and everything in its header read. */
import { beforeAll, describe, expect, test } from 'vitest'
import { formatAddresses, parseAddresses } from '../../src/core/mime/addresses.ts'
import { attachmentsOf, chooseBodies } from '../../src/core/mime/bodies.ts'
import { decodeCharset } from '../../src/core/mime/charset.ts'
import { isoSeconds, parseDate } from '../../src/core/mime/date.ts'
import { decodeUnstructured, firstField } from '../../src/core/mime/header.ts'
import { type LocatedPart, parseStructure } from '../../src/core/mime/structure.ts'
import { decodeTransfer } from '../../src/core/mime/transfer.ts'
import { cleanText } from '../../src/core/text/plain.ts'
import { senderWarnings } from '../../src/core/text/sender.ts'
import { benignTexts, type CorpusMail, corpusMail, hasCorpus } from './mail.ts'

const CONTROL = /[^\P{Cc}\n\t]/u

function textOf(raw: Uint8Array, part: LocatedPart | undefined): string {
  if (part === undefined) return ''
  const decoded = decodeTransfer(raw.subarray(part.start, part.end), part.encoding)
  return cleanText(decodeCharset(decoded, part.parameters['charset'])).text
}

function leavesOf(part: LocatedPart): LocatedPart[] {
  return part.type.startsWith('multipart/') ? part.children.flatMap(leavesOf) : [part]
}

function shownParts(root: LocatedPart): readonly LocatedPart[] {
  return chooseBodies(root).flatMap(({ plain, html }) => [...plain, ...html])
}

describe.skipIf(!hasCorpus())('the collected mail', () => {
  let mails: CorpusMail[] = []
  beforeAll(() => {
    mails = corpusMail()
  })

  test('is all there', () => {
    expect(mails).toHaveLength(2424)
  })

  test('is taken apart, and every leaf is a body, an attachment or a version of a body', () => {
    for (const { name, raw } of mails) {
      const { root } = parseStructure(raw)
      const bodies = shownParts(root)
      const known = new Set([...bodies, ...attachmentsOf(root)])
      const lost = leavesOf(root).filter((part) => !known.has(part) && !part.type.startsWith('text/'))
      expect(lost, name).toEqual([])
      for (const part of bodies) expect(textOf(raw, part), name).not.toMatch(CONTROL)
    }
  })

  test('has a body a person could read in nineteen of twenty', () => {
    const readable = mails.filter(({ raw }) => {
      return shownParts(parseStructure(raw).root).length > 0
    })
    expect(readable.length / mails.length).toBeGreaterThan(0.94)
  })

  test('has headers that decode to one line each', () => {
    for (const { name, raw } of mails) {
      const { header } = parseStructure(raw)
      for (const field of header) expect(decodeUnstructured(field.value), name).not.toMatch(/\p{Cc}/u)
      const people = formatAddresses(
        ['from', 'to', 'cc'].flatMap((field) => parseAddresses(firstField(header, field) ?? '')),
      )
      expect(people, name).not.toMatch(/\p{Cc}/u)
      expect(Array.isArray(senderWarnings(header)), name).toBe(true)
    }
  })

  test('has dates that can be read in ninety-nine of a hundred', () => {
    const dates = mails
      .map(({ raw }) => firstField(parseStructure(raw).header, 'date'))
      .filter((date) => date !== undefined)
    const read = dates.map(parseDate).filter((date) => date !== undefined)
    expect(read.length / dates.length).toBeGreaterThan(0.99)
    for (const date of read) expect(isoSeconds(date)).toMatch(/^\d{4}-/)
  })

  test('is taken apart just as well when it is cut off anywhere', () => {
    for (const { name, raw } of mails) {
      for (const share of [0.1, 0.3, 0.5, 0.9]) {
        const start = raw.subarray(0, Math.floor(raw.length * share))
        for (const part of shownParts(parseStructure(start).root))
          expect(textOf(start, part), name).not.toMatch(CONTROL)
      }
    }
  })

  test('is rarely suspicious', () => {
    const warned = mails.filter(({ raw }) =>
      senderWarnings(parseStructure(raw).header).some(({ kind }) => kind === 'sender_suspicious'),
    )
    expect(warned.length / mails.length).toBeLessThan(0.07)
  })

  test('of ordinary kind is shown exactly as it was written', () => {
    for (const text of benignTexts()) expect(cleanText(text)).toEqual({ text, warnings: [] })
  })
})
