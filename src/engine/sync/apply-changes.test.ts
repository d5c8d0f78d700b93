import { expect, test } from 'vitest'
import type { Row } from '../../core/mirror/state.ts'
import type { MirroredFolder } from '../../ports/mirror-store.ts'
import { applyChanges } from './apply-changes.ts'
import type { SyncParts } from './sync-parts.ts'

const MESSAGES = 1000
const HEADER = new Uint8Array(256 * 1024)

test('of arrivals with long headers few are held at once, and none is left out', async () => {
  const since = { uidvalidity: 1, uidNext: 1, messages: 0, modseq: '1' }
  const state = { uidvalidity: 1, uidNext: MESSAGES + 1, messages: MESSAGES, modseq: '2' }
  const feed = {
    async *rows(_at: unknown, { from, to }: { from: number; to: number }) {
      for (let uid = to; uid >= from; uid -= 1) yield [{ uid, header: HEADER } as unknown as Row]
    },
  }
  const arrived: (readonly Row[])[] = []
  const store = {
    apply: async (_mailbox: string, delta: { arrived: readonly Row[] }) => void arrived.push(delta.arrived),
  }
  const parts = { feed, store } as unknown as Pick<SyncParts, 'feed' | 'store'>
  const folder = { mailbox: 'INBOX', state: since } as MirroredFolder
  const changed = { kind: 'changed', state, flags: [], gone: { kind: 'these', uids: [] } } as const
  expect(await applyChanges(folder, changed, parts, new AbortController().signal)).toBe(MESSAGES)
  const uids = arrived.flat().map(({ uid }) => uid)
  expect(uids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: MESSAGES }, (_, at) => at + 1))
  expect(Math.max(...arrived.map(({ length }) => length))).toBe(250)
})
