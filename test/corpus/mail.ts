/** Mail that others collected, for tests that look for it beside the project; where it is absent they say so and skip. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const CORPUS = join(import.meta.dirname, '../../../shared/corpus')

export interface CorpusMail {
  readonly name: string
  readonly raw: Uint8Array
}

export interface Technique {
  readonly id: string
  readonly cls: string
  readonly canary: string
  readonly expect: 'hidden' | 'visible' | 'no_autofetch' | 'warn'
  readonly raw: Uint8Array
}

/** Whether the corpus is there; says so on stderr where it is not. */
export function hasCorpus(): boolean {
  const there = existsSync(join(CORPUS, 'mail.tar.gz'))
  if (!there) process.stderr.write('skipped: no ../shared/corpus beside the project\n')
  return there
}

export function corpusMail(): CorpusMail[] {
  return untar(gunzipSync(readFileSync(join(CORPUS, 'mail.tar.gz')))).filter(
    ({ name }) => !name.endsWith('INDEX.jsonl'),
  )
}

export function techniques(): Technique[] {
  const entries = readJson('generated_techniques.json') as (Omit<Technique, 'raw'> & { raw_base64: string })[]
  return entries.map(({ raw_base64, ...entry }) => ({
    ...entry,
    raw: new Uint8Array(Buffer.from(raw_base64, 'base64')),
  }))
}

/** The texts of ordinary mails. */
export function benignTexts(): string[] {
  const { fp_tests, levels } = readJson('llmail_benign.json') as {
    fp_tests: string[]
    levels: Record<string, string[]>
  }
  return [...fp_tests, ...Object.values(levels).flat()]
}

export interface BombRecipe {
  readonly id: string
  readonly make: string
  /** The sizes to make it in. */
  readonly N: readonly number[]
}

export function bombRecipes(): BombRecipe[] {
  return readJson('generated_bombs.json') as BombRecipe[]
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(CORPUS, name), 'utf8'))
}

const BLOCK = 512

/** Plain files of a tar archive: a header block, the content, padding. */
function untar(archive: Uint8Array): CorpusMail[] {
  const text = (start: number, length: number): string =>
    new TextDecoder().decode(archive.subarray(start, start + length)).replace(/\0[\s\S]*$/, '')
  const files: CorpusMail[] = []
  let longName: string | undefined
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12).trim(), 8)
    const kind = text(at + 156, 1)
    const content = archive.subarray(at + BLOCK, at + BLOCK + size)
    if (kind === 'L') longName = new TextDecoder().decode(content).replace(/\0+$/, '')
    else {
      const prefix = text(at + 345, 155)
      const name = longName ?? (prefix === '' ? text(at, 100) : `${prefix}/${text(at, 100)}`)
      if (kind === '0' || kind === '') files.push({ name, raw: Uint8Array.from(content) })
      longName = undefined
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return files
}
