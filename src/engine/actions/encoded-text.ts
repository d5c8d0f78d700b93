/** Hands a text part to the content reader together with how it is encoded. */
import type { Part } from '../../core/message.ts'
import type { EncodedText } from '../../ports/content-reader.ts'

export function encodedText(part: Part, bytes: Uint8Array, complete: boolean): EncodedText {
  const { charset, format, delsp } = part.parameters
  return {
    bytes,
    encoding: part.encoding,
    charset,
    type: part.type === 'text/html' ? 'text/html' : 'text/plain',
    flowed: format?.toLowerCase() === 'flowed',
    delSp: delsp?.toLowerCase() === 'yes',
    complete,
  }
}
