/** Reads whole messages as an agent is shown them: bodies through the content reader, warnings of all kinds together. */
import { mergeWarnings, type Readable, type Warning } from '../../src/core/content.ts'
import { chooseBodies } from '../../src/core/mime/bodies.ts'
import { type LocatedPart, parseStructure } from '../../src/core/mime/structure.ts'
import { countUnseenParts, countUnseenText } from '../../src/core/mime/unseen.ts'
import { compareVersions } from '../../src/core/text/alternatives.ts'
import { senderWarnings } from '../../src/core/text/sender.ts'
import type { ContentReader, EncodedText } from '../../src/ports/content-reader.ts'
import type { Log } from '../../src/ports/log.ts'

export const MAX_CHARS = 200_000
export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
export const patience = new AbortController().signal

export interface Shown {
  /** Every version of every text. */
  readonly texts: readonly string[]
  readonly html: string
  readonly warnings: readonly Warning[]
}

export function encoded(
  text: string | Uint8Array,
  type: EncodedText['type'],
  more: Partial<EncodedText> = {},
): EncodedText {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return { bytes, type, encoding: '8bit', charset: 'utf-8', flowed: false, delSp: false, complete: true, ...more }
}

export async function showMessage(reader: ContentReader, raw: Uint8Array): Promise<Shown> {
  const { root, header } = parseStructure(raw)
  const read: Readable[] = []
  const pages: string[] = []
  let differ = false
  for (const { plain, html } of chooseBodies(root)) {
    const texts: Readable[] = []
    for (const part of [...plain, ...html]) texts.push(await reader.text(bodyOf(raw, part), MAX_CHARS, patience))
    for (const part of html.length > 0 ? html : plain) {
      pages.push((await reader.html(bodyOf(raw, part), MAX_CHARS, patience)).html)
    }
    const [first, second] = plain.length === 1 ? texts : []
    if (first && second && html.length > 0) {
      const { onlyPlain, longOnlyHtml } = compareVersions(first.text, second.text)
      differ ||= onlyPlain.length + longOnlyHtml > 0
    }
    read.push(...texts)
  }
  const unseen = countUnseenParts(root) + countUnseenText(raw, root)
  return {
    texts: read.map(({ text }) => text),
    html: pages.join('\n'),
    warnings: mergeWarnings(
      senderWarnings(header),
      ...read.map(({ warnings }) => warnings),
      [{ kind: 'hidden_text_removed', count: unseen }],
      [{ kind: 'alternatives_differ', count: differ ? 1 : 0 }],
    ),
  }
}

export function bodyOf(raw: Uint8Array, { start, end, encoding, parameters, type }: LocatedPart): EncodedText {
  return encoded(raw.subarray(start, end), type === 'text/html' ? 'text/html' : 'text/plain', {
    encoding,
    charset: parameters['charset'],
    flowed: parameters['format']?.toLowerCase() === 'flowed',
    delSp: parameters['delsp']?.toLowerCase() === 'yes',
  })
}
