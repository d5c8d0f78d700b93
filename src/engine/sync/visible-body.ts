/**
 * What of a message a person reads as its text.
 *
 * INVARIANT: whoever shows a body and whoever searches it choose by the same rule, so that what is found is what is shown. Of two
 * versions the HTML is what people see; what only the plain text says is uncertain, however short it is.
 */
import { mergeWarnings, type Readable } from '../../core/content.ts'
import type { Part, PartBytes } from '../../core/message.ts'
import { compareVersions } from '../../core/text/alternatives.ts'
import type { EncodedText } from '../../ports/content-reader.ts'

/** A text part that was downloaded, with how it is encoded. */
export function encodedBody(
  part: Part,
  { bytes, complete }: Pick<PartBytes, 'bytes' | 'complete'>,
  subject: string | undefined,
): EncodedText {
  const { charset, format, delsp } = part.parameters
  return {
    bytes,
    encoding: part.encoding,
    charset,
    type: part.type === 'text/html' ? 'text/html' : 'text/plain',
    flowed: format?.toLowerCase() === 'flowed',
    delSp: delsp?.toLowerCase() === 'yes',
    complete,
    ...(subject !== undefined && { subject }),
  }
}

/** Before each passage that only the plain text has. */
export const ONLY_IN_PLAIN = 'Only in the plain text: '

/**
 * The body that both versions make: the HTML's text, with what only the plain text says as uncertain text. Where the HTML holds no
 * text at all, as one with nothing but a picture, it is the plain text. `label` stands before each passage.
 */
export function shownBody(
  plain: Readable | undefined,
  html: Readable | undefined,
  label = ONLY_IN_PLAIN,
): Readable | undefined {
  if (plain === undefined || html === undefined) return html ?? plain
  if (isWithoutText(html)) return { ...plain, warnings: mergeWarnings(plain.warnings, html.warnings) }
  const { onlyPlain, kinds, longOnlyHtml } = compareVersions(plain.text, html.text)
  const count = onlyPlain.length
  return {
    text: html.text,
    uncertain: [...lines(html.uncertain), ...lines(plain.uncertain), ...onlyPlain.map((one) => label + one)].join('\n'),
    truncated: html.truncated,
    warnings: mergeWarnings(plain.warnings, html.warnings, [
      { kind: 'uncertain_text', count },
      { kind: 'alternatives_differ', count: count + longOnlyHtml, about: kinds },
      { kind: 'content_incomplete', count: plain.truncated ? 1 : 0 },
    ]),
  }
}

/** Not even text that is hidden, or that could not be read. */
function isWithoutText({ text, uncertain, truncated, warnings }: Readable): boolean {
  const isHiding = warnings.some(({ kind }) => kind === 'hidden_text_removed')
  return text.trim() === '' && uncertain === '' && !truncated && !isHiding
}

function lines(text: string): readonly string[] {
  return text === '' ? [] : [text]
}

/** Several texts that are shown one after the other. Undefined where there are none. */
export function joinedTexts(texts: readonly Readable[]): Readable | undefined {
  if (texts.length <= 1) return texts[0]
  return {
    text: texts
      .map(({ text }) => text)
      .filter((text) => text.trim() !== '')
      .join('\n\n'),
    uncertain: texts
      .map(({ uncertain }) => uncertain)
      .filter((text) => text !== '')
      .join('\n'),
    truncated: texts.some(({ truncated }) => truncated),
    warnings: mergeWarnings(...texts.map(({ warnings }) => warnings)),
  }
}
