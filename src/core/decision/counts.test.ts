import { expect, test } from 'vitest'
import { countLevels } from './counts.ts'

test('what is visible, what is hidden, and how many of each', () => {
  expect(countLevels(['NONE', 'COUNT', 'FULL', 'FULL'], 'COUNT')).toEqual({
    total: 4,
    visible: 3,
    hidden: 1,
    byLevel: { NONE: 1, COUNT: 1, FULL: 2 },
  })
  expect(countLevels(new Set(['COUNT', 'FULL'] as const), 'METADATA')).toMatchObject({ visible: 1, hidden: 1 })
  expect(countLevels([], 'COUNT')).toEqual({ total: 0, visible: 0, hidden: 0, byLevel: {} })
})
