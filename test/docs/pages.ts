/** The pages that people read: every Markdown file of the project. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Anchors } from '../../tools/reference-anchors.ts'

export const ROOT = join(import.meta.dirname, '../..')

export interface Page {
  /** Below the root. */
  readonly path: string
  readonly text: string
}

export function pages(): readonly Page[] {
  const top = readdirSync(ROOT).filter((name) => name.endsWith('.md'))
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  )
  return [...top, ...docs.map((name) => join('docs', name))].map(pageAt)
}

export function pageAt(path: string): Page {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') }
}

/** Without what stands in code: a link in there is none. */
export function prose({ text }: Page): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '``')
}

export function anchorsOf({ text }: Page): readonly string[] {
  const anchors = new Anchors()
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm)
  return [...headings].map(([, heading = '']) => anchors.next(heading))
}

/** What is written as code: whole lines of blocks, and what stands between backticks. */
export function codeOf({ text }: Page): readonly string[] {
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, block = '']) =>
    block.replaceAll(/\\\n\s*/g, ''),
  )
  const inline = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
  return [...blocks.flatMap((block) => block.split('\n')), ...inline]
}
