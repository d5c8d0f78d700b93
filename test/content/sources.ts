/** Where ordinary mail for these tests comes from: templates of our own, and the corpus beside the project where it is there. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chooseBodies } from '../../src/core/mime/bodies.ts'
import { decodeCharset } from '../../src/core/mime/charset.ts'
import { parseStructure } from '../../src/core/mime/structure.ts'
import { decodeTransfer } from '../../src/core/mime/transfer.ts'
import { benignTexts, corpusMail } from '../corpus/mail.ts'

export interface Page {
  readonly name: string
  readonly html: string
}

/** HTML of the templates in a folder. */
export function templates(folder: string = join(import.meta.dirname, 'templates')): Page[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.html'))
    .map((name) => ({ name, html: readFileSync(join(folder, name), 'utf8') }))
}

/** Templates that work without a script by tricks which are not understood: their text may be uncertain. */
export function interactiveTemplates(): Page[] {
  return templates(join(import.meta.dirname, 'templates/interactive'))
}

export function corpusPages(): Page[] {
  return corpusMail().flatMap(({ name, raw }) =>
    chooseBodies(parseStructure(raw).root)
      .flatMap((body) => body.html)
      .slice(0, 1)
      .map((part) => ({
        name,
        html: decodeCharset(
          decodeTransfer(raw.subarray(part.start, part.end), part.encoding),
          part.parameters['charset'],
        ),
      })),
  )
}

export function benignPages(): Page[] {
  return benignTexts().map((text, at) => ({
    name: `benign ${at}`,
    html: `<html><head><title>Mail</title></head><body><div><p>${escaped(text)}</p></div></body></html>`,
  }))
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/\n/g, '<br>')
}
