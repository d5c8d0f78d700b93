import { expect, test } from 'vitest'
import { addressOf, routeOf } from './route.ts'

test('an address and its route are the same thing', () => {
  for (const id of [undefined, '000001-0123456789ab', 'a/b', 'ü 100%']) {
    expect(routeOf(addressOf('access', id))).toEqual({ page: 'access', id })
  }
})

test.each(['', '#', '#/', '#/nonsense/5', '#/__proto__/x', '#outbox'])('%j leads to the outbox', (hash) => {
  expect(routeOf(hash)).toEqual({ page: 'outbox', id: undefined })
})

test('what cannot be read names nothing', () => {
  expect(routeOf('#/outbox/%E0%A4%A')).toEqual({ page: 'outbox', id: undefined })
})
