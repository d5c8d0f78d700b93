import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../../core/failure.ts'
import { draftMessageIn, idIn, labelsIn, messageIn, pageIn, threadIn, totalIn } from './answers.ts'

const MESSAGE = { id: '17f', threadId: '17e', labelIds: ['INBOX'], internalDate: '1700000000123', sizeEstimate: 12 }

test('a message is read, with and without its bytes', () => {
  expect(messageIn(MESSAGE)).toEqual({
    ...{ id: '17f', thread: '17e', labels: ['INBOX'], received: 1_700_000_000, size: 12 },
    raw: undefined,
  })
  const { labelIds: _, ...bare } = MESSAGE
  const read = messageIn({ ...bare, raw: Buffer.from([0xff, 0, 13]).toString('base64url') })
  expect(read).toMatchObject({ labels: [], size: 3, raw: new Uint8Array([0xff, 0, 13]) })
  expect(Buffer.isBuffer(read.raw)).toBe(false)
})

test('an empty answer is an empty list', () => {
  expect(pageIn({ resultSizeEstimate: 0 })).toEqual({ ids: [], next: undefined })
  expect(labelsIn({})).toEqual([])
  expect(threadIn({})).toEqual([])
})

test.each([labelsIn, totalIn, pageIn, messageIn, idIn, draftMessageIn, threadIn])(
  'whatever is answered, %o reads it or says that it cannot',
  (read) => {
    const fields = [
      'labels',
      'messages',
      'id',
      'name',
      'threadId',
      'labelIds',
      'message',
      'raw',
      'internalDate',
      'type',
    ]
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
    const { answer } = fc.letrec((tie) => ({
      answer: fc.oneof(leaf, fc.array(tie('answer')), fc.dictionary(fc.constantFrom(...fields), tie('answer'))),
    }))
    fc.assert(
      fc.property(answer, (value) => {
        try {
          read(value)
        } catch (error) {
          expect(error).toBeInstanceOf(Failure)
        }
      }),
    )
  },
)
