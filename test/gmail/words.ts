/** How Gmail looks for text: by whole words in their order. Punctuation is nothing, part of a word finds nothing. */
import { decodeCharset } from '../../src/core/mime/charset.ts'
import { decodeTransfer } from '../../src/core/mime/transfer.ts'
import { decodeWords } from '../../src/core/mime/words.ts'
import { fieldOf, type MimePart, parseMessage, structured } from './mime.ts'
import type { Message } from './store.ts'

const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]+/gu

export function wordsOf(text: string): readonly string[] {
  return text.normalize('NFKC').toLowerCase().match(WORD) ?? []
}

/** Whether the phrase's words stand in the text one after the other. A phrase without words is nowhere. */
export function hasPhrase(text: string, phrase: string): boolean {
  const [words, wanted] = [wordsOf(text), wordsOf(phrase)]
  return wanted.length > 0 && words.some((_, at) => wanted.every((word, index) => words[at + index] === word))
}

export function headerText({ raw }: Message, name: string): string {
  return decoded(fieldOf(parseMessage(raw).header, name) ?? '')
}

export function bodyText({ raw }: Message): string {
  return partText(parseMessage(raw))
}

export function wholeText(message: Message): string {
  const { header } = parseMessage(message.raw)
  return `${decoded(header.toString('latin1'))}\n${bodyText(message)}`
}

function partText(part: MimePart): string {
  if (part.children.length > 0) return part.children.map(partText).join('\n')
  if (part.message !== undefined) return partText(part.message)
  if (part.type !== 'text') return ''
  const encoding = structured(fieldOf(part.header, 'content-transfer-encoding') ?? '7bit').value
  const charset = part.parameters.find(([name]) => name === 'charset')?.[1]
  return decodeCharset(decodeTransfer(part.body, encoding), charset)
}

function decoded(bytes: string): string {
  return decodeWords(Buffer.from(bytes, 'latin1').toString('utf8'))
}
