/** Real mail of every kind, stored in a local mailbox and carried through an mbox file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMailArchive } from '../../src/adapters/archive/archive.ts'
import { sniff } from '../../src/adapters/archive/sniff.ts'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { Part } from '../../src/core/message.ts'
import { corpusMail, hasCorpus } from './mail.ts'

const never = new AbortController().signal

describe.skipIf(!hasCorpus())('the corpus', () => {
  let directory = ''
  const mails = hasCorpus() ? corpusMail().filter(({ raw }) => raw.length > 0) : []

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'postern-corpus-'))
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  test('is stored and read back byte for byte, part by part', async () => {
    const source = createLocalSource({ path: join(directory, 'mail.db'), account: 'me', databases: databaseFiles })
    await source.appendMany(
      mails.map(({ raw }) => ({ mailbox: 'INBOX', bytes: raw, flags: [] })),
      undefined,
      never,
    )
    const { uidvalidity, total } = await source.find('INBOX', { criteria: {}, take: 1 }, never)
    expect(total).toBe(mails.length)
    const at = { mailbox: 'INBOX', uidvalidity }
    for (const [index, { name, raw }] of mails.entries()) {
      const { bytes } = await source.raw(at, index + 1, raw.length, never)
      expect(Buffer.from(bytes).equals(raw), name).toBe(true)
      const leaves = flatten((await source.open(at, index + 1, never)).structure).filter(
        ({ children }) => children.length === 0,
      )
      const parts = await source.parts(
        at,
        index + 1,
        leaves.map(({ id }) => ({ id, maxBytes: 1e9 })),
        never,
      )
      expect(
        parts.map((part) => part.bytes.length),
        name,
      ).toEqual(leaves.map(({ size }) => size))
    }
    await source.close()
  })

  test('comes out of an mbox file as it went in', async () => {
    const lines = mails.filter(({ raw }) => sniff(raw) === 'message' && !/^>?From /.test(latin1(raw.subarray(0, 6))))
    const path = join(directory, 'all.mbox')
    writeFileSync(
      path,
      lines.map(({ raw }) => `From a@b Thu Feb  1 10:12:13 2024\n${escaped(raw)}\n`).join(''),
      'latin1',
    )
    const read: string[] = []
    for (const source of await createMailArchive().open(path, never)) {
      for await (const item of source.read(undefined, never)) if (item.kind === 'message') read.push(latin1(item.bytes))
    }
    expect(read.length).toBe(lines.length)
    for (const [index, { name, raw }] of lines.entries()) {
      expect(read[index] === ended(latin1(raw)), `${name} at ${index}`).toBe(true)
    }
  })
})

function flatten(part: Part): Part[] {
  return [part, ...part.children.flatMap(flatten)]
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

/** An mbox file ends every message with a line end, and puts `>` before lines of the body that look like a new one. */
function escaped(raw: Uint8Array): string {
  return ended(latin1(raw)).replace(/^(>*From )/gm, '>$1')
}

function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}
