import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linesBackwards } from './lines-backwards.ts'

let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pl-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

async function backwards(text: string): Promise<string[]> {
  const path = join(directory, 'lines')
  writeFileSync(path, text)
  const handle = await open(path, 'r')
  try {
    const lines: string[] = []
    for await (const line of linesBackwards(handle)) lines.push(line.toString())
    return lines
  } finally {
    await handle.close()
  }
}

test('whatever the file holds, its whole lines come last first', async () => {
  const line = fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.integer({ min: 0, max: 3 }).map((more) => 'ä'.repeat(32 * 1024 + more)),
    fc.integer({ min: 0, max: 2 }).map((more) => 'x'.repeat(64 * 1024 - 1 + more)),
  )
  const lines = fc.array(
    line.map((text) => text.replaceAll('\n', ' ')),
    { maxLength: 6 },
  )
  await fc.assert(
    fc.asyncProperty(lines, fc.constantFrom('', 'a line that is being written'), async (whole, rest) => {
      const text = whole.map((one) => `${one}\n`).join('') + rest
      expect(await backwards(text)).toEqual(whole.map((one) => `${one}\n`).toReversed())
    }),
    { numRuns: 200 },
  )
})
