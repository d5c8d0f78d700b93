import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../failure.ts'
import { isFinal, next, STEP_NAMES, type Step, stepOf, type TransferEvent } from './machine.ts'
import { begun, type Operation, type Transfer } from './transfer.ts'

const LIMIT = 3
const CONTENT = { hash: 'ab'.repeat(32), size: 10, flags: ['\\Seen'], received: 1_700_000_000, messageId: undefined }
const FENCE = { uidvalidity: 7, uidNext: 40 }

const EVENTS: { readonly [K in TransferEvent['kind']]: Extract<TransferEvent, { kind: K }> } = {
  fetched: { kind: 'fetched', content: CONTENT },
  fenced: { kind: 'fenced', fence: FENCE },
  staged: { kind: 'staged', targetUid: 41, uidvalidity: 7 },
  deleted: { kind: 'deleted', how: 'yes' },
  committed: { kind: 'committed', at: 2000 },
  failed: { kind: 'failed', error: 'timeout' },
  refused: { kind: 'refused', error: 'uid_not_found' },
  escalated: { kind: 'escalated', error: 'target_append_failed' },
  retried: { kind: 'retried' },
  abandoned: { kind: 'abandoned' },
}
const KINDS = Object.keys(EVENTS) as TransferEvent['kind'][]

/** What each step leads to when all goes well. */
const FORWARD: { readonly [S in Exclude<Step, 'none'>]: TransferEvent } = {
  fetch: EVENTS.fetched,
  fence: EVENTS.fenced,
  send: EVENTS.staged,
  remove: EVENTS.deleted,
  commit: EVENTS.committed,
}

function newTransfer(operation: Operation): Transfer {
  return begun({
    txId: '00000000-0000-4000-8000-000000000001',
    callerId: 'anna',
    operation,
    source: { account: 'work', mailbox: 'INBOX', uidvalidity: 3, uid: 12 },
    destination: { account: 'home', mailbox: 'Kept' },
    createdAt: 1000,
  })
}

function transferAfter(operation: Operation, ...kinds: TransferEvent['kind'][]): Transfer {
  return kinds.reduce((transfer, kind) => next(transfer, EVENTS[kind], LIMIT), newTransfer(operation))
}

describe('on its way', () => {
  test('a move is fetched, fenced, sent, removed at its source and committed', () => {
    const steps: Step[] = []
    let transfer = newTransfer('move')
    for (let step = stepOf(transfer); step !== 'none'; step = stepOf(transfer)) {
      steps.push(step)
      transfer = next(transfer, FORWARD[step], LIMIT)
    }
    expect(steps).toEqual(['fetch', 'fence', 'send', 'remove', 'commit'])
    expect(transfer).toEqual({
      ...newTransfer('move'),
      status: 'committed',
      content: CONTENT,
      fence: FENCE,
      targetUid: 41,
      targetUidvalidity: 7,
      sourceGone: 'yes',
      committedAt: 2000,
    })
  })

  test('a copy is committed without its original being touched', () => {
    const staged = transferAfter('copy', 'fetched', 'fenced', 'staged')
    expect(stepOf(staged)).toBe('commit')
    expect(next(staged, EVENTS.committed, LIMIT)).toMatchObject({ status: 'committed', sourceGone: 'no' })
  })

  test('an original that can only be flagged is done with', () => {
    const flagged = next(
      transferAfter('move', 'fetched', 'fenced', 'staged'),
      { kind: 'deleted', how: 'flagged' },
      LIMIT,
    )
    expect(flagged.sourceGone).toBe('flagged')
    expect(stepOf(flagged)).toBe('commit')
  })

  test('a failure keeps the state and says why, and success forgets it', () => {
    const failed = transferAfter('move', 'fetched', 'fenced', 'failed')
    expect(failed).toMatchObject({ status: 'pending', retryCount: 1, lastError: 'timeout', fence: FENCE })
    const done = (['staged', 'deleted', 'committed'] as const).reduce(
      (transfer, kind) => next(transfer, EVENTS[kind], LIMIT),
      failed,
    )
    expect(done).toMatchObject({ status: 'committed', lastError: undefined })
  })

  test('one failure more than the limit is for a person', () => {
    let transfer = newTransfer('move')
    for (let count = 1; count <= LIMIT; count += 1) {
      transfer = next(transfer, EVENTS.failed, LIMIT)
      expect(transfer).toMatchObject({ status: 'pending', retryCount: count })
    }
    expect(next(transfer, EVENTS.failed, LIMIT)).toMatchObject({ status: 'needs_operator', retryCount: LIMIT })
    expect(next(newTransfer('move'), EVENTS.failed, 0).status).toBe('needs_operator')
  })

  test('what a server acknowledged stays known, through failures and retries, until the copy is proven', () => {
    const unproven = { kind: 'acknowledged', placed: { uid: 41, uidvalidity: 7 } } as const
    const trouble = { error: 'timeout', responseCode: 'LIMIT' }
    const acknowledged = next(
      transferAfter('move', 'fetched', 'fenced'),
      { kind: 'failed', ...trouble, unproven },
      LIMIT,
    )
    expect(acknowledged).toMatchObject({ status: 'pending', lastError: 'timeout', responseCode: 'LIMIT', unproven })
    const later: TransferEvent[] = [
      { kind: 'failed', error: 'timeout', unproven: { kind: 'similar', placed: undefined } },
      EVENTS.escalated,
      EVENTS.retried,
    ]
    const retried = later.reduce((transfer, event) => next(transfer, event, LIMIT), acknowledged)
    expect(retried).toMatchObject({ status: 'pending', unproven, responseCode: undefined })
    expect(next(retried, EVENTS.staged, LIMIT)).toMatchObject({ status: 'staged', unproven: undefined })
  })

  test('an operator has it go on where it stood, with all its tries', () => {
    const pending = transferAfter('move', 'fetched', 'fenced', 'failed', 'escalated', 'retried')
    expect(pending).toMatchObject({ status: 'pending', retryCount: 0, content: CONTENT, fence: FENCE })
    expect(stepOf(pending)).toBe('send')
    expect(stepOf(transferAfter('move', 'fetched', 'fenced', 'staged', 'escalated', 'retried'))).toBe('remove')
    expect(stepOf(transferAfter('move', 'fetched', 'fenced', 'staged', 'deleted', 'escalated', 'retried'))).toBe(
      'commit',
    )
    expect(stepOf(transferAfter('copy', 'fetched', 'fenced', 'staged', 'escalated', 'retried'))).toBe('commit')
  })
})

describe('events that do not fit', () => {
  const GO_WRONG: readonly TransferEvent['kind'][] = ['failed', 'refused', 'escalated']
  const states: readonly (readonly [string, Transfer, readonly TransferEvent['kind'][]])[] = [
    ['begun', newTransfer('move'), ['fetched', ...GO_WRONG]],
    ['fetched', transferAfter('move', 'fetched'), ['fenced', ...GO_WRONG]],
    ['fenced', transferAfter('move', 'fetched', 'fenced'), ['staged', ...GO_WRONG]],
    ['staged', transferAfter('move', 'fetched', 'fenced', 'staged'), ['deleted', 'failed', 'escalated']],
    ['staged copy', transferAfter('copy', 'fetched', 'fenced', 'staged'), ['committed', 'failed', 'escalated']],
    ['removed', transferAfter('move', 'fetched', 'fenced', 'staged', 'deleted'), ['committed', 'failed', 'escalated']],
    ['committed', transferAfter('move', 'fetched', 'fenced', 'staged', 'deleted', 'committed'), []],
    ['aborted', transferAfter('move', 'refused'), []],
    ['escalated', transferAfter('move', 'fetched', 'escalated'), ['retried', 'abandoned']],
    ['abandoned', transferAfter('move', 'fetched', 'escalated', 'abandoned'), []],
  ]

  test.each(states)('%s takes what fits it and nothing else', (_, transfer, fitting) => {
    const taken = KINDS.filter((kind) => {
      try {
        next(transfer, EVENTS[kind], LIMIT)
        return true
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
        expect(error).not.toBeInstanceOf(Failure)
        expect(String(error)).toContain(`cannot be ${kind}`)
        return false
      }
    })
    expect(taken.sort()).toEqual([...fitting].sort())
  })
})

/** `onward` stands for whatever leads on from where it is, so that walks get far. */
const anyEvent: fc.Arbitrary<TransferEvent | 'onward'> = fc.oneof(
  { weight: 5, arbitrary: fc.constant('onward' as const) },
  {
    weight: 4,
    arbitrary: fc.oneof(
      fc.constantFrom(...Object.values(EVENTS)),
      fc.constant<TransferEvent>({ kind: 'deleted', how: 'flagged' }),
      fc
        .record({ uidvalidity: fc.nat(), uidNext: fc.nat() })
        .map((fence): TransferEvent => ({ kind: 'fenced', fence })),
      fc.nat().map((size): TransferEvent => ({ kind: 'fetched', content: { ...CONTENT, size } })),
      fc.nat().map((targetUid): TransferEvent => ({ kind: 'staged', targetUid, uidvalidity: 7 })),
    ),
  },
)

interface Stride {
  readonly before: Transfer
  readonly event: TransferEvent
  readonly after: Transfer
}

function walk(operation: Operation, wishes: readonly (TransferEvent | 'onward')[], limit: number): Stride[] {
  const strides: Stride[] = []
  let before = newTransfer(operation)
  for (const wish of wishes) {
    const step = stepOf(before)
    if (wish === 'onward' && step === 'none') continue
    const event = wish === 'onward' ? FORWARD[step as Exclude<Step, 'none'>] : wish
    const frozen = structuredClone(before)
    let taken: Transfer | undefined
    try {
      taken = next(before, event, limit)
    } catch {
      // It did not fit.
    }
    expect(before).toEqual(frozen)
    if (taken === undefined) continue
    strides.push({ before, event, after: taken })
    before = taken
  }
  return strides
}

const anyWalk = fc
  .record({
    operation: fc.constantFrom<Operation>('move', 'copy'),
    wishes: fc.array(anyEvent, { maxLength: 40 }),
    limit: fc.nat({ max: 4 }),
  })
  .map((way) => ({ ...way, strides: walk(way.operation, way.wishes, way.limit) }))

const property = (check: (way: { strides: Stride[]; operation: Operation; limit: number }) => void): void =>
  fc.assert(fc.property(anyWalk, check), { numRuns: 1000 })

describe('whatever happens, in whatever order', () => {
  test('the original is not touched before the copy is staged, and a copy has no step that would', () =>
    property(({ strides, operation }) => {
      let staged = false
      for (const { event, after: now } of strides) {
        staged ||= event.kind === 'staged'
        const mayTouch = stepOf(now) === 'remove'
        if (mayTouch || now.sourceGone !== 'no') {
          expect(staged).toBe(true)
          expect(operation).toBe('move')
          expect([now.content, now.fence, now.targetUid]).not.toContain(undefined)
        }
        if (mayTouch) expect(now).toMatchObject({ status: 'staged', sourceGone: 'no' })
        if (now.status === 'staged') expect(staged).toBe(true)
      }
    }))

  test('a final state is left only where a person is needed, and only by one', () =>
    property(({ strides }) => {
      for (const { before, event } of strides.filter((stride) => isFinal(stride.before))) {
        expect(before.status).toBe('needs_operator')
        expect(['retried', 'abandoned']).toContain(event.kind)
      }
    }))

  test('tries are bounded until a person grants more', () =>
    property(({ strides, limit }) => {
      let failures = 0
      for (const { event, after: now } of strides) {
        if (event.kind === 'retried') failures = 0
        if (event.kind === 'failed') failures += 1
        expect(now.retryCount).toBe(Math.min(failures, limit))
        expect(failures).toBeLessThanOrEqual(limit + 1)
        if (!isFinal(now)) expect(failures).toBeLessThanOrEqual(limit)
      }
    }))

  test('the intent, the content, the fence, the copy and the end of the original never change once they are there', () =>
    property(({ strides }) => {
      for (const { before, after: now } of strides) {
        const { txId, callerId, operation, source, destination, createdAt } = newTransfer(before.operation)
        expect(now).toMatchObject({ txId, callerId, operation, source, destination, createdAt })
        if (before.content !== undefined) expect(now.content).toBe(before.content)
        if (before.fence !== undefined) expect(now.fence).toBe(before.fence)
        if (before.targetUid !== undefined) expect(now.targetUid).toBe(before.targetUid)
        if (before.sourceGone !== 'no') expect(now.sourceGone).toBe(before.sourceGone)
      }
    }))

  test('what is not final comes to its end when nothing more goes wrong', () =>
    property(({ strides, operation, limit }) => {
      let transfer = strides.at(-1)?.after ?? newTransfer(operation)
      if (isFinal(transfer)) return
      for (let count = 0; count < 5 && stepOf(transfer) !== 'none'; count += 1)
        transfer = next(transfer, FORWARD[stepOf(transfer) as Exclude<Step, 'none'>], limit)
      expect(transfer.status).toBe('committed')
      expect(transfer.sourceGone === 'no').toBe(operation === 'copy')
    }))
})

test('every transfer that can be written down has a step, and final ones have none', () => {
  const anyTransfer = fc.record({
    operation: fc.constantFrom<Operation>('move', 'copy'),
    status: fc.constantFrom<Transfer['status']>('pending', 'staged', 'committed', 'aborted', 'needs_operator'),
    content: fc.constantFrom(undefined, CONTENT),
    fence: fc.constantFrom(undefined, FENCE),
    targetUid: fc.constantFrom(undefined, 41),
    sourceGone: fc.constantFrom<Transfer['sourceGone']>('no', 'flagged', 'yes'),
  })
  fc.assert(
    fc.property(anyTransfer, (state) => {
      const transfer: Transfer = { ...newTransfer(state.operation), ...state }
      const step = stepOf(transfer)
      expect(['fetch', 'fence', 'send', 'remove', 'commit', 'none']).toContain(step)
      expect(step === 'none').toBe(isFinal(transfer))
      if (step === 'remove') expect(transfer).toMatchObject({ operation: 'move', status: 'staged', sourceGone: 'no' })
    }),
  )
})

test('every event has a word in the journal', () => {
  expect(Object.keys(STEP_NAMES).sort()).toEqual([...KINDS].sort())
})
