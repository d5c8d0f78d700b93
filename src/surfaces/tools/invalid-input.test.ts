import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeInvalidInput, type JsonSchema } from './invalid-input.ts'

const schema = z.strictObject({
  mailbox: z.string().min(1).max(256),
  limit: z.int().min(1).max(50).default(10),
  days: z.int().min(1).optional(),
  mode: z.enum(['add', 'remove']).optional(),
  id: z
    .string()
    .regex(/^[a-z]+$/)
    .optional(),
  flags: z.array(z.string().min(1).max(64)).min(1).max(3).optional(),
  seen: z.boolean().optional(),
  clean: z
    .string()
    .refine((text) => !text.includes('\n'), { error: 'must not contain line breaks' })
    .optional(),
  date: z
    .string()
    .refine((text) => text === 'today', { error: 'Today is the only date there is' })
    .optional(),
  target: z.strictObject({ folder: z.string() }).optional(),
})

function sentence(input: unknown): string {
  const parsed = schema.safeParse(input)
  if (parsed.success) throw new Error('the input is valid')
  return describeInvalidInput(parsed.error.issues, input, z.toJSONSchema(schema, { io: 'input' }) as JsonSchema)
}

test.each<[unknown, string]>([
  [{}, 'mailbox is required'],
  [{ mailbox: '' }, 'mailbox must not be empty'],
  [{ mailbox: 'x'.repeat(300) }, 'mailbox must have between 1 and 256 characters; got 300'],
  [{ mailbox: 7 }, 'mailbox must be a string; got 7'],
  [{ mailbox: null }, 'mailbox must be a string; got null'],
  [{ mailbox: 'a', limit: 51 }, 'limit must be between 1 and 50; got 51'],
  [{ mailbox: 'a', limit: 0 }, 'limit must be between 1 and 50; got 0'],
  [{ mailbox: 'a', limit: 1.5 }, 'limit must be a whole number; got 1.5'],
  [{ mailbox: 'a', limit: '5' }, 'limit must be a number; got "5"'],
  [{ mailbox: 'a', days: 0 }, 'days must be at least 1; got 0'],
  [{ mailbox: 'a', mode: 'x' }, 'mode must be one of "add", "remove"; got "x"'],
  [{ mailbox: 'a', mode: 'y'.repeat(99) }, 'mode must be one of "add", "remove"; got a string of 99 characters'],
  [{ mailbox: 'a', id: 'A1' }, 'id does not have the expected form'],
  [{ mailbox: 'a', flags: [] }, 'flags must not be empty'],
  [{ mailbox: 'a', flags: ['a', 'b', 'c', 'd'] }, 'flags must have between 1 and 3 items; got 4'],
  [{ mailbox: 'a', flags: ['a', ''] }, 'flags[1] must not be empty'],
  [{ mailbox: 'a', flags: 'a' }, 'flags must be a list; got "a"'],
  [{ mailbox: 'a', seen: [] }, 'seen must be true or false; got a list'],
  [{ mailbox: 'a', clean: 'a\nb' }, 'clean must not contain line breaks'],
  [{ mailbox: 'a', date: 'x' }, 'Today is the only date there is'],
  [{ mailbox: 'a', foo: 1 }, 'unknown argument "foo"'],
  [{ mailbox: 'a', ['f'.repeat(50)]: 1 }, `unknown argument "${'f'.repeat(40)}…"`],
  [{ mailbox: 'a', target: {} }, 'target.folder is required'],
  [{ mailbox: 'a', target: { folder: 'b', x: 1 } }, 'unknown key "x" in target'],
  [{ mailbox: 'a', target: { folder: 'b', foldr: 'b' } }, 'unknown key "foldr" in target; did you mean "folder"?'],
  [{ mailbox: 'a', target: { foldr: 'b' } }, 'unknown key "foldr" in target; did you mean "folder"?'],
  [{ malibox: 'a' }, 'unknown argument "malibox"; did you mean "mailbox"?'],
  [{ sender: 'a' }, 'mailbox is required'],
  [{ days: 3 }, 'mailbox is required'],
  [{ mailbox: 'a', Limit: 1 }, 'unknown argument "Limit"; did you mean "limit"?'],
  ['text', 'arguments must be an object; got "text"'],
  [[], 'arguments must be an object; got a list'],
])('%j: %s', (input, expected) => {
  expect(sentence(input)).toBe(expected)
})

test('however many unknown arguments there are, only some are compared with the one that is missing', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`key-${at}`, 0]))
  expect(sentence({ ...many, malibox: 'a' })).toBe('mailbox is required')
  expect(sentence({ malibox: 'a', ...many })).toBe('unknown argument "malibox"; did you mean "mailbox"?')
})
