import { describe, expect, test } from 'vitest'
import { begun, type Transfer } from '../../core/transfer/transfer.ts'
import { transfers } from './transfers.ts'

const stuck: Transfer = {
  ...begun({
    txId: 'tx-1',
    callerId: 'anna',
    operation: 'move',
    source: { account: 'ada', mailbox: 'INBOX', uidvalidity: 1, uid: 7 },
    destination: { account: 'bob', mailbox: 'Archive' },
    createdAt: 0,
  }),
  status: 'needs_operator',
  content: { hash: '00', size: 1, flags: [], received: 0, messageId: undefined },
  retryCount: 4,
  lastError: 'target_unreachable',
}
const committed: Transfer = { ...stuck, txId: 'tx-2', status: 'committed', lastError: undefined }

async function retried(after: readonly Transfer[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []]
  const terminal = { print: (text: string) => void out.push(text), complain: (text: string) => void err.push(text) }
  const unused = (): never => {
    throw new Error('not asked for')
  }
  const parts = { list: unused, abandon: unused, retry: async () => after, terminal }
  const code = await transfers({ command: 'retry', which: 'all' }, parts)
  return { code, out: out.join(''), err: err.join('') }
}

test('a retry that fails again says that it was tried, where the trouble is and what can be done', async () => {
  const { code, out, err } = await retried([committed, stuck])
  expect(code).toBe(1)
  expect(out.split('\n').map((line) => line.slice(0, 12).trim())).toEqual(['tx-2  commit', 'tx-1  needs_', ''])
  expect(err).toMatch(/^postern: tried again, and 1 of 2 still failed \(target_unreachable\)/)
  expect(err).toContain('server of bob can be reached')
  expect(err).toContain('postern transfers abandon')
})

describe('what to do is said by the reason', () => {
  const errorsOf = async (more: Partial<Transfer>): Promise<string> => (await retried([{ ...stuck, ...more }])).err

  test('a copy that differs: compare, never that the server should be reached', async () => {
    const placed = { uid: 41, uidvalidity: 7 }
    const unproven = { kind: 'acknowledged', placed } as const
    const err = await errorsOf({ lastError: 'target_append_failed', unproven })
    expect(err).toContain('took the message but stores something else (uid 41 in "Archive" of bob)')
    expect(err).toContain('If the copy is good, delete the original yourself; if not, delete the copy')
    expect(err).not.toContain('reached')
  })

  test('a message that may be the copy: nobody is told to delete a message of somebody else', async () => {
    const unproven = { kind: 'similar', placed: { uid: 41, uidvalidity: 7 } } as const
    const err = await errorsOf({ lastError: 'target_append_failed', unproven, operation: 'copy' })
    expect(err).toContain('If it is the copy, keep both')
    expect(err).not.toContain('delete')
    expect(err).toContain('ask for the copy again')
  })

  test.each([
    ['target_append_failed', 'OVERQUOTA', 'target_append_failed [OVERQUOTA]', 'has room'],
    ['target_folder_missing', 'TRYCREATE', 'target_folder_missing [TRYCREATE]', 'Create folder "Archive" in bob'],
    ['auth_failed', undefined, 'auth_failed', 'Renew the login of bob'],
    ['fetch_failed', undefined, 'fetch_failed', 'still in "INBOX"'],
  ])('%s, %s', async (lastError, responseCode, why, advice) => {
    const err = await errorsOf({ lastError, responseCode })
    expect(err).toContain(`(${why})`)
    expect(err).toContain(advice)
  })
})

test('an original that cannot be removed is a matter of its own server', async () => {
  expect((await retried([{ ...stuck, targetUid: 3 }])).err).toContain('server of ada')
})

test.each([
  [[], 'no transfer needs an operator\n'],
  [[committed], expect.stringMatching(/^tx-2 {2}committed/)],
])('a retry of %j that leaves nothing open is 0', async (after, out) => {
  expect(await retried(after)).toEqual({ code: 0, out, err: '' })
})
