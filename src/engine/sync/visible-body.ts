/**
 * What of a message a person reads as its text.
 *
 * INVARIANT: whoever shows a body and whoever searches it choose by the same rule, so that what is found is what is shown.
 */
import { mergeWarnings, type Readable } from '../../core/content.ts'
import type { Part, PartBytes } from '../../core/message.ts'
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

/** Whether the plain text is what is shown, so that the other version need not even be fetched. */
export function isShown(plain: Readable | undefined): plain is Readable {
  return plain !== undefined && plain.text.trim() !== ''
}

/** Of both versions the one that is shown: the plain text, unless there is nothing in it. */
export function shownBody(plain: Readable | undefined, html: Readable | undefined): Readable | undefined {
  return isShown(plain) ? plain : (html ?? plain)
}

/** Several texts that are shown one after the other. Undefined where there are none. */
export function joinedTexts(texts: readonly Readable[]): Readable | undefined {
  if (texts.length <= 1) return texts[0]
  return {
    text: texts
      .map(({ text }) => text)
      .filter((text) => text.trim() !== '')
      .join('\n\n'),
    truncated: texts.some(({ truncated }) => truncated),
    warnings: mergeWarnings(...texts.map(({ warnings }) => warnings)),
  }
}
