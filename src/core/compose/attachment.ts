/**
 * A file as a part of a message.
 *
 * INVARIANT: whatever name and type say, there is one name, one line and no path, and a reader gets exactly the bytes that
 * were given: no type that would make it look for parts or messages inside.
 */
import { parseContentType } from '../mime/parameters.ts'
import { cut } from '../text/cut.ts'
import { cleanLine } from '../text/plain.ts'
import { base64Lines } from './base64.ts'
import type { Entity } from './entity.ts'
import { field } from './header-lines.ts'

export interface Attachment {
  readonly filename: string
  readonly type: string
  readonly bytes: Uint8Array
}

const NAMELESS = 'attachment'
const MOST_NAME = 200
const UNKNOWN_TYPE = 'application/octet-stream'
const PLAIN_TYPE = /^(?!multipart\/|message\/)[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/

/** With the name and the type that it travels under. */
export function safeAttachment({ filename, type, bytes }: Attachment): Attachment {
  const plain = type.includes('/') ? parseContentType(type).type : UNKNOWN_TYPE
  return { filename: safeName(filename), type: PLAIN_TYPE.test(plain) ? plain : UNKNOWN_TYPE, bytes }
}

function safeName(written: string): string {
  const oneLine = cleanLine(written.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '_')).text
  const name = cut(oneLine.replace(/[/\\]/g, '_').replace(/\s+/gu, ' '), MOST_NAME).text.trim()
  return /^\.*$/.test(name) ? NAMELESS : name
}

/** Of one that is safe already. */
export function attachmentEntity({ filename, type, bytes }: Attachment): Entity {
  return {
    fields: [
      field('Content-Type', [type]),
      field('Content-Disposition', ['attachment;', ...nameParameter(filename)]),
      'Content-Transfer-Encoding: base64',
    ],
    body: base64Lines(bytes),
  }
}

const LONGEST_PLAIN = 60
const LONGEST_SECTION = 50
const QUOTABLE = /^[ !#-[\]-~]*$/

/** A quoted string where every reader takes it as it is, else RFC 2231. */
function nameParameter(name: string): string[] {
  if (QUOTABLE.test(name) && name.length <= LONGEST_PLAIN && !name.includes('=?')) return [`filename="${name}"`]
  const [first = '', ...rest] = sections(name)
  if (rest.length === 0) return [`filename*=utf-8''${first}`]
  const all = [`utf-8''${first}`, ...rest]
  return all.map((text, at) => `filename*${at}*=${text}${at === rest.length ? '' : ';'}`)
}

/** No character is split over two of them. */
function sections(name: string): string[] {
  const found: string[] = []
  let section = ''
  for (const character of name) {
    const form = percentForm(character)
    if (section.length + form.length > LONGEST_SECTION) {
      found.push(section)
      section = ''
    }
    section += form
  }
  return [...found, section]
}

const utf8 = new TextEncoder()

function percentForm(character: string): string {
  if (/^[A-Za-z0-9._-]$/.test(character)) return character
  return [...utf8.encode(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}
