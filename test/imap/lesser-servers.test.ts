/** Moving and deleting on servers that lack MOVE, UIDPLUS or both. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { capabilityWithout } from '../dovecot/dovecot.ts'
import { letter } from '../mail-source/messages.ts'
import { contents, type Stage, startStage } from './harness.ts'

describe.each([
  ['without MOVE', ['MOVE']],
  ['without MOVE and UIDPLUS', ['MOVE', 'UIDPLUS']],
  ['without UIDPLUS', ['UIDPLUS']],
])('a server %s', (_, missing) => {
  let lesser: Stage
  const moves = !missing.includes('MOVE')
  const expunges = !missing.includes('UIDPLUS')

  beforeAll(async () => {
    lesser = await startStage({ capability: capabilityWithout(...missing) })
  })
  afterAll(() => lesser.close())

  test('move', async () => {
    const [id = ''] = await lesser.put('From', [letter({ subject: 'one' }), letter({ subject: 'theirs' })])
    await lesser.put('To', [])
    await lesser.ada.imap.mailboxOpen('From')
    await lesser.ada.imap.messageFlagsAdd('2', ['\\Deleted'])
    const args = { message_id: id, destination_mailbox: 'To' }
    const { summary, data } = await lesser.postern.call('imap_move_message', args)
    expect((await contents(lesser.ada, 'To')).map(({ subject }) => subject)).toEqual(['one'])
    const left = (await contents(lesser.ada, 'From')).map(({ subject, flags }) => [subject, flags])
    if (moves || expunges) {
      const steps = moves ? 1 : 3
      expect(summary).toBe('1 of 1 messages moved')
      expect(data).toMatchObject({ status: 'ok', steps_attempted: steps, steps_succeeded: steps })
      expect(left).toEqual([['theirs', ['\\Deleted']]])
    } else {
      expect(summary).toMatch(/^The message was moved only in part: .*no UIDPLUS.*flagged \\Deleted$/)
      expect(data).toMatchObject({
        status: 'partial',
        issues: [{ code: 'unsupported', stage: 'expunge', retryable: false }],
        steps_attempted: 3,
        steps_succeeded: 2,
      })
      expect(left).toEqual([
        ['one', ['\\Deleted']],
        ['theirs', ['\\Deleted']],
      ])
    }
  })

  test('a move to a missing mailbox leaves the message as it is', async () => {
    const [id = ''] = await lesser.put('Kept', [letter({ subject: 'one' })])
    const args = { message_id: id, destination_mailbox: 'Nowhere' }
    const { summary, data } = await lesser.postern.call('imap_move_message', args)
    expect(summary).toBe('0 of 1 messages moved: the destination mailbox does not exist')
    expect(data).toMatchObject({ status: 'failed', steps_attempted: 1, steps_succeeded: 0 })
    expect(await contents(lesser.ada, 'Kept')).toMatchObject([{ subject: 'one', flags: [] }])
  })

  const onlyWithoutMove = 'a move that loses its connection after the copy has lost nothing'
  if (!moves)
    test(onlyWithoutMove, async () => {
      const [id = ''] = await lesser.put('Torn', [letter({ subject: 'one' })])
      await lesser.put('Torn target', [])
      lesser.proxy.when(/UID STORE/, lesser.proxy.hangUp)
      const args = { message_id: id, destination_mailbox: 'Torn target' }
      const { summary, data } = await lesser.postern.call('imap_move_message', args)
      expect(summary).toMatch(/^It is not known whether the message was moved/)
      expect(data).toMatchObject({
        status: 'partial',
        issues: [{ code: 'outcome_unknown', stage: 'store' }],
        steps_attempted: 2,
        steps_succeeded: 1,
      })
      expect(await contents(lesser.ada, 'Torn target')).toMatchObject([{ subject: 'one' }])
      expect(await contents(lesser.ada, 'Torn')).toMatchObject([{ subject: 'one' }])
    })

  test('delete', async () => {
    const [id = ''] = await lesser.put('Gone', [letter({ subject: 'one' }), letter({ subject: 'two' })])
    const { summary, data } = await lesser.postern.call('imap_delete_message', { message_id: id, confirm: true })
    const left = (await contents(lesser.ada, 'Gone')).map(({ subject, flags }) => [subject, flags])
    if (expunges) {
      expect(data).toMatchObject({ status: 'ok', steps_succeeded: 2 })
      expect(left).toEqual([['two', []]])
    } else {
      expect(summary).toMatch(/^The message was deleted only in part: .*no UIDPLUS.*flagged \\Deleted$/)
      expect(data).toMatchObject({ status: 'partial', steps_attempted: 2, steps_succeeded: 1 })
      expect(left).toEqual([
        ['one', ['\\Deleted']],
        ['two', []],
      ])
    }
  })
})
