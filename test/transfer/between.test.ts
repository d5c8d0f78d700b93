/** What other people and lesser servers do while messages are under way. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../src/core/transfer/transfer.ts'
import { letter } from '../mail-source/messages.ts'
import { hashOf } from './contents.ts'
import type { Plan } from './fault-proxy.ts'
import { type Case, type CaseOptions, decoys, message, type Scene, startScene } from './scene.ts'

const LONG = { timeout: 300_000 }
const OPERATIONS: readonly Operation[] = ['move', 'copy']

let scene: Scene
const opened: Case[] = []
beforeAll(async () => {
  scene = await startScene()
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})
afterAll(() => scene.close())

async function open(options?: CaseOptions): Promise<Case> {
  const one = await scene.open(options)
  opened.push(one)
  return one
}

/** At the first command of that name or, where `nth` says so, a later one. */
function at(name: string, fault: Plan['fault'], nth = 1): Plan {
  let seen = 0
  const isIt = (heard: { readonly name: string }): boolean => {
    if (heard.name === name) seen += 1
    return heard.name === name && seen === nth
  }
  return { at: isIt, fault }
}

/** Somebody deletes the mailbox and makes it anew, with other mail under the same uids. */
async function rebuild(one: Case, side: 'source' | 'destination'): Promise<readonly string[]> {
  const { imap, seed } = one.others[side]
  await imap.mailboxOpen('INBOX')
  await imap.mailboxDelete(one.mailboxes[side])
  const others = Array.from({ length: 5 }, (_, index) => letter({ subject: `other mail ${index}` }))
  // Uidvalidity counts seconds.
  await new Promise((resolve) => setTimeout(resolve, 1100))
  await seed(
    one.mailboxes[side],
    others.map((raw) => ({ raw })),
  )
  return others.map(hashOf)
}

describe('the mailbox of the original is made anew', () => {
  test.each([
    ['EXAMINE', 1, 'aborted'],
    ['EXAMINE', 2, 'needs_operator'],
    ['SELECT', 1, 'needs_operator'],
  ] as const)('before %s number %i: nothing of the new one is touched', LONG, async (name, nth, status) => {
    const one = await open()
    let others: readonly string[] = []
    const work = async (): Promise<void> => {
      others = await rebuild(one, 'source')
    }
    one.proxies.source.plan(at(name, { kind: 'first', work }, nth))
    const [ended] = await one.ends(await one.go('move'))
    expect(others).toHaveLength(5)
    expect((await one.lookAnew('source')).map(({ hash, flags }) => [hash, flags])).toEqual(
      others.map((hash) => [hash, []]),
    )
    const arrived = (await one.lookAnew('destination')).filter(({ hash }) => hash === ended?.content?.hash)
    expect(ended?.status).toBe(status)
    expect(arrived).toHaveLength(status === 'aborted' ? 0 : 1)
  })
})

describe('the destination is made anew', () => {
  test.each([
    ['EXAMINE', 1],
    ['APPEND', 1],
    ['EXAMINE', 2],
    ['UID FETCH', 1],
  ] as const)('before %s number %i: the message is still somewhere, once', LONG, async (name, nth) => {
    const one = await open()
    one.proxies.destination.plan(
      at(name, { kind: 'first', work: async () => void (await rebuild(one, 'destination')) }, nth),
    )
    const [ended] = await one.ends(await one.go('move'))
    const [here, there] = await Promise.all([one.lookAnew('source'), one.lookAnew('destination')])
    const copies = (all: typeof here): number => all.filter(({ hash }) => hash === ended?.content?.hash).length
    expect([copies(here), copies(there)]).toEqual(ended?.status === 'committed' ? [0, 1] : [1, 0])
    expect(there.filter(({ subject }) => subject.startsWith('other mail'))).toHaveLength(5)
  })
})

describe('somebody expunges', () => {
  test.each([
    ['the original before it is fetched', 'EXAMINE', 1, 'aborted'],
    ['the original before it is looked at again', 'EXAMINE', 2, 'committed'],
    ['the original before it is removed', 'SELECT', 1, 'committed'],
    ['the original while it is removed', 'UID STORE', 1, 'committed'],
  ] as const)('%s', LONG, async (_name, command, nth, status) => {
    const one = await open()
    const work = (): Promise<void> => one.others.source.vanish(one.mailboxes.source, one.uids[0] ?? 0)
    one.proxies.source.plan(at(command, { kind: 'first', work }, nth))
    const [ended] = await one.ends(await one.go('move'))
    expect(ended?.status).toBe(status)
    const subjects = (await one.look('destination')).map(({ subject }) => subject)
    expect(subjects).toEqual(['decoy', 'letter 0', ...(status === 'committed' ? ['letter 0'] : [])])
    expect((await one.look('source')).map(({ subject }) => subject)).toEqual(['bystander', 'flagged by somebody'])
  })

  test('the copy before it is read back: the original stays', LONG, async () => {
    const one = await open()
    const work = async (): Promise<void> => {
      const uids = await one.others.destination.uids(one.mailboxes.destination)
      await one.others.destination.vanish(one.mailboxes.destination, Math.max(...uids))
    }
    one.proxies.destination.plan(at('EXAMINE', { kind: 'first', work }, 2))
    const ended = await one.ends(await one.go('move'))
    expect(ended).toMatchObject([{ status: 'needs_operator', lastError: 'target_append_failed' }])
    await one.check(ended)
    expect(await one.look('source')).toHaveLength(3)
  })
})

describe('a destination that does not tell where messages go', () => {
  const lesser = { destination: { without: ['UIDPLUS', 'LITERAL+', 'MOVE', 'SASL-IR'] } }

  test.each(OPERATIONS)('%s: they are found by their bytes', LONG, async (operation) => {
    const one = await open({ lesser, messages: 3, twins: 1 })
    const ended = await one.ends(await one.go(operation))
    expect(ended.map(({ status }) => status)).toEqual(['committed', 'committed', 'committed'])
    await one.check(ended)
  })

  test.each(['reset', 'lose', 'cut', 'mute', 'stall'] as const)('APPEND ends in a %s', LONG, async (kind) => {
    const one = await open({ lesser, messages: 3, twins: 1, silenceMs: 2500 })
    one.proxies.destination.plan(at('APPEND', { kind }, 2))
    const ended = await one.ends(await one.go('move'))
    expect(ended.map(({ status }) => status)).toEqual(['committed', 'committed', 'committed'])
    await one.check(ended)
  })

  test('and refuses to be looked at', LONG, async () => {
    const one = await open({ lesser })
    const isLook = ({ name }: { readonly name: string }): boolean =>
      name === 'EXAMINE' && one.proxies.destination.heard().includes('APPEND')
    one.proxies.destination.plan({ at: isLook, fault: { kind: 'say', words: 'NO not now' }, times: 1000 })
    const ended = await one.ends(await one.go('move'))
    expect(ended).toMatchObject([{ status: 'needs_operator' }])
    await one.check(ended)
    one.proxies.destination.plan()
    const after = await one.transfers.retry(ended[0]?.txId ?? '')
    expect(after.status).toBe('committed')
    await one.check([after])
  })
})

test(
  "a source that cannot expunge one message: the original is flagged, and nobody else's mail goes",
  LONG,
  async () => {
    const one = await open({ lesser: { source: { without: ['UIDPLUS', 'MOVE'] } }, messages: 2 })
    const ended = await one.ends(await one.go('move'))
    expect(ended).toMatchObject([
      { status: 'committed', sourceGone: 'flagged' },
      { status: 'committed', sourceGone: 'flagged' },
    ])
    await one.check(ended)
    expect(one.proxies.source.heard()).not.toContain('EXPUNGE')
    expect(await one.look('source')).toHaveLength(4)
  },
)

test.each(OPERATIONS)(
  'a destination that rewrites headers: %s, the original stays and a person decides',
  LONG,
  async (operation) => {
    const one = await open({ lesser: { destination: { rewrites: (raw) => `X-Seen-By: a gateway\r\n${raw}` } } })
    const ended = await one.ends(await one.go(operation))
    expect(ended).toMatchObject([{ status: 'needs_operator', lastError: 'target_append_failed' }])
    expect(await one.look('source')).toHaveLength(3)
    expect(await one.look('destination')).toHaveLength(3)
    const abandoned = await one.transfers.abandon(ended[0]?.txId ?? '')
    expect(abandoned.status).toBe('aborted')
    expect(await one.look('source')).toHaveLength(3)
  },
)

test.each([[['UIDPLUS']], [[]]])(
  'decoys that come while the message is sent prove nothing (without %j)',
  LONG,
  async (without) => {
    const one = await open({ lesser: { destination: { without } } })
    const { destination } = one.proxies
    const work = async (): Promise<void> => {
      await one.arrive(decoys(0))
      destination.plan(at('UID FETCH', { kind: 'reset' }))
    }
    destination.plan(at('APPEND', { kind: 'first', work }))
    const [ended] = await one.ends(await one.go('move'))
    expect(ended?.status).toBe('committed')
    const there = await one.look('destination')
    expect(there.map(({ subject }) => subject)).toEqual(['decoy', 'letter 0', 'decoy', 'letter 0', 'letter 0'])
    expect(there.filter(({ hash }) => hash === ended?.content?.hash).map(({ uid }) => uid)).toEqual([ended?.targetUid])
  },
)

test('what came before a message was sent is not that message, whatever else is looked for with it', LONG, async () => {
  const one = await open({ messages: 2, backOffMs: [60_000] })
  const [first = 0, second = 0] = one.uids
  const { destination } = one.proxies
  destination.plan(at('APPEND', { kind: 'lose' }))
  const begun = [...(await one.go('copy', [first]))]
  await one.arrive([message(1)])
  destination.plan(at('APPEND', { kind: 'reset' }))
  begun.push(...(await one.go('copy', [second])))
  expect(begun.map(({ status }) => status)).toEqual(['pending', 'pending'])
  // Whoever goes on where another ended looks for both at once.
  await one.transfers.close()
  const other = one.another()
  await other.resume()
  const ended = await Promise.all(begun.map(({ txId }) => other.find(txId)))
  expect(ended.map((transfer) => transfer?.status)).toEqual(['committed', 'committed'])
  const there = (await one.look('destination')).map(({ hash }) => hash)
  const times = (number: number): number => there.filter((hash) => hash === hashOf(message(number).raw)).length
  expect([times(0), times(1)]).toEqual([1, 2])
})

describe('servers that guess the sizes of messages', () => {
  const lesser = { source: { guesses: true }, destination: { guesses: true } }

  test.each(['reset', 'lose'] as const)('a %s at APPEND: carried once, and removed', LONG, async (kind) => {
    const one = await open({ lesser, messages: 2, twins: 1 })
    one.proxies.destination.plan(at('APPEND', { kind }, 2))
    const ended = await one.ends(await one.go('move'))
    expect(ended.map(({ status }) => status)).toEqual(['committed', 'committed'])
    await one.check(ended)
  })
})

describe('the third of five', () => {
  const rest = ['committed', 'committed', 'committed', 'committed']

  test.each([
    ['NO [OVERQUOTA] full', 'target_append_failed'],
    ['NO [TRYCREATE] none', 'target_folder_missing'],
    ['BAD what', 'target_append_failed'],
  ])('is refused with "%s": it stays, the others go', LONG, async (words, error) => {
    const one = await open({ messages: 5 })
    one.proxies.destination.plan(at('APPEND', { kind: 'say', words }, 3))
    const ended = await one.ends(await one.go('move'))
    expect(ended.map(({ status }) => status)).toEqual(rest.toSpliced(2, 0, 'aborted'))
    expect(ended[2]?.lastError).toBe(error)
    await one.check(ended)
  })

  test.each(['reset', 'lose', 'cut', 'mute', 'stall'] as const)('meets a %s: all are carried', LONG, async (kind) => {
    const one = await open({ messages: 5, silenceMs: 2500 })
    one.proxies.destination.plan(at('APPEND', { kind }, 3))
    const ended = await one.ends(await one.go('move'))
    expect(ended.map(({ status }) => status)).toEqual([...rest, 'committed'])
    await one.check(ended)
  })

  test('is expunged by somebody before all are removed', LONG, async () => {
    const one = await open({ messages: 5 })
    const work = (): Promise<void> => one.others.source.vanish(one.mailboxes.source, one.uids[2] ?? 0)
    one.proxies.source.plan(at('SELECT', { kind: 'first', work }))
    const ended = await one.ends(await one.go('move'))
    expect(ended.map(({ status }) => status)).toEqual([...rest, 'committed'])
    await one.check(ended)
  })
})

test('an answer lost, and then a destination that refuses to be looked at: never given up', LONG, async () => {
  const one = await open()
  const lost = at('APPEND', { kind: 'lose' })
  const isLook = ({ name }: { readonly name: string }): boolean =>
    name === 'EXAMINE' && one.proxies.destination.heard().includes('APPEND')
  one.proxies.destination.plan(lost, { at: isLook, fault: { kind: 'say', words: 'NO not now' }, times: 1000 })
  const ended = await one.ends(await one.go('move'))
  expect(ended).toMatchObject([{ status: 'needs_operator' }])
  await one.check(ended)
  one.proxies.destination.plan()
  const after = await one.transfers.retry(ended[0]?.txId ?? '')
  expect(after.status).toBe('committed')
  await one.check([after])
})

test('an account leaves the configuration meanwhile and comes back', LONG, async () => {
  const one = await open({ retryLimit: 2 })
  one.proxies.destination.plan(at('APPEND', { kind: 'lose' }))
  const all = one.accounts.current.list()
  const begun = await one.go('move')
  one.accounts.replace(all.filter(({ id }) => id !== 'destination'))
  const ended = await one.ends(begun)
  expect(ended).toMatchObject([{ status: 'needs_operator', lastError: 'target_unreachable' }])
  await one.check(ended)
  one.accounts.replace(one.freshAccounts())
  const after = await one.transfers.retry(begun[0]?.txId ?? '')
  expect(after.status).toBe('committed')
  await one.check([after])
})

test('two with one journal: one of them carries each message', LONG, async () => {
  const one = await open({ messages: 3 })
  const other = one.another()
  one.proxies.destination.plan(at('APPEND', { kind: 'lose' }, 2))
  const going = one.go('move')
  for (let turn = 0; turn < 20; turn += 1) await other.resume()
  const ended = await one.ends(await going)
  expect(ended.map(({ status }) => status)).toEqual(['committed', 'committed', 'committed'])
  await one.check(ended)
})

test('each end of a transfer is on record, and why it failed', LONG, async () => {
  const one = await open()
  one.proxies.destination.plan(at('APPEND', { kind: 'say', words: 'NO [OVERQUOTA] full' }))
  const [ended] = await one.ends(await one.go('move'))
  expect(one.audit).toEqual([
    expect.objectContaining({
      tool: 'saga_transition',
      reason: 'aborted',
      tx_id: ended?.txId,
      result: 'ERROR',
      error_type: 'target_append_failed',
      args_summary: {
        source: { account: 'source', folder: one.mailboxes.source, uid: one.uids[0] },
        target: { account: 'destination', folder: one.mailboxes.destination },
      },
    }),
  ])
  const again = await one.ends(await one.go('move'))
  expect(again).toMatchObject([{ status: 'committed' }])
  expect(one.audit.slice(1).map(({ reason, result }) => [reason, result])).toEqual([
    ['staged', 'OK'],
    ['committed', 'OK'],
  ])
})
