/**
 * What every mail source must do, whatever is behind it. Each test has mailboxes of its own, so one source serves all.
 */
import { afterAll, beforeAll, describe } from 'vitest'
import { type Bench, type Filled, never, type SourceUnderTest } from './bench.ts'
import { findingContract } from './finding.ts'
import { manyContract } from './many.ts'
import type { SeedMessage } from './messages.ts'
import { readingContract } from './reading.ts'
import { surveyingContract } from './surveying.ts'
import { writingContract } from './writing.ts'

export function mailSourceContract(name: string, makeSource: () => Promise<SourceUnderTest>): void {
  describe(`mail source: ${name}`, () => {
    let made: SourceUnderTest | undefined
    let count = 0
    const current = (): SourceUnderTest => {
      if (made === undefined) throw new Error('the source under test did not start')
      return made
    }
    beforeAll(async () => {
      made = await makeSource()
    })
    afterAll(async () => {
      await made?.dispose()
    })
    const bench: Bench = {
      get source() {
        return current().source
      },
      seed: (mailbox, messages) => current().seed(mailbox, messages),
      vanish: (mailbox, uid) => vanish(current(), mailbox, uid),
      kept: (flags) => flags.filter((flag) => current().keepsFlag?.(flag) ?? true),
      mailbox: async (label, messages) => {
        count += 1
        return fill(current(), `${label} ${count}`, messages)
      },
    }
    findingContract(bench)
    surveyingContract(bench)
    readingContract(bench)
    writingContract(bench)
    manyContract(bench)
  })
}

async function fill(under: SourceUnderTest, mailbox: string, messages: readonly SeedMessage[]): Promise<Filled> {
  const uids = await under.seed(mailbox, messages)
  const { uidvalidity } = await under.source.find(mailbox, { criteria: {}, take: 1 }, never())
  return { mailbox, uidvalidity, uids }
}

async function vanish(under: SourceUnderTest, mailbox: string, uid: number): Promise<void> {
  if (under.vanish !== undefined) return under.vanish(mailbox, uid)
  const { uidvalidity } = await under.source.find(mailbox, { criteria: {}, take: 1 }, never())
  await under.source.changeFlags({ mailbox, uidvalidity }, uid, 'add', ['\\Deleted'], never())
  await under.source.expunge({ mailbox, uidvalidity }, uid, never())
}
