/** Our own reading of a message numbers its parts as a real server does. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Part } from '../../src/core/message.ts'
import { parseStructure } from '../../src/core/mime/structure.ts'
import { type Desk, startDesk, USER } from '../dovecot/desk.ts'
import { type CorpusMail, corpusMail, hasCorpus } from './mail.ts'

const never = (): AbortSignal => new AbortController().signal

/** `number type` of every part that holds something itself. */
function outline(part: Part): string[] {
  const own = part.type.startsWith('multipart/') ? [] : [`${part.id} ${part.type} ${part.filename ?? ''}`]
  return [...own, ...part.children.flatMap(outline)]
}

/**
 * Where a message is broken, readers differ: a boundary that never comes, a type that is none, an encoded message. Of the
 * messages collected for being broken that is one in thirty.
 */
const MOST_DIFFERENCES = 80

describe.skipIf(!hasCorpus())('the collected mail on Dovecot', () => {
  let desk: Desk
  let mails: CorpusMail[] = []
  beforeAll(async () => {
    mails = corpusMail()
    desk = await startDesk()
    await desk.dovecot.deliver(USER, 'INBOX', mails)
  })
  afterAll(() => desk.stop())

  test('has the same parts under the same numbers', async () => {
    const found = await desk.source.find('INBOX', { criteria: {}, take: 1 }, never())
    const at = { mailbox: 'INBOX', uidvalidity: found.uidvalidity }
    const differ: string[] = []
    for (const [index, { name, raw }] of mails.entries()) {
      // Delivered in order into an empty mailbox.
      const { structure } = await desk.source.open(at, index + 1, never())
      if (outline(structure).join('\n') !== outline(parseStructure(raw).root).join('\n')) differ.push(name)
    }
    expect(differ.length, differ.join('\n')).toBeLessThanOrEqual(MOST_DIFFERENCES)
  })
})
