/** Accounts that are replaced while calls use them: closed when nobody can use them any more, and not before. */
import { expect, test } from 'vitest'
import { type Account, Accounts } from '../../src/engine/accounts/accounts.ts'

function scene(...ids: string[]): { accounts: Account[]; closed: string[] } {
  const closed: string[] = []
  const accounts = ids.map((id) => {
    const source = { close: async () => void closed.push(id) } as unknown as Account['source']
    return { id, host: 'local', port: 0, secure: true, provider: 'local', source } satisfies Account
  })
  return { accounts, closed }
}

test('a call of two trees ago keeps all that it could see', async () => {
  const { accounts, closed } = scene('a', 'b', 'c')
  const [a, b, c] = accounts as [Account, Account, Account]
  const house = new Accounts([a, b])
  const end = Promise.withResolvers<void>()
  const reading = house.reading(() => end.promise)
  expect(house.replace([b, c])).toEqual(['a'])
  expect(house.replace([c])).toEqual(['b'])
  expect(closed).toEqual([])
  end.resolve()
  await reading
  expect(closed.sort()).toEqual(['a', 'b'])
  await house.close()
  expect(closed.sort()).toEqual(['a', 'b', 'c'])
})

test('what nobody uses is closed at once, and a failed call lets go too', async () => {
  const { accounts, closed } = scene('a', 'b')
  const [a, b] = accounts as [Account, Account]
  const house = new Accounts([a])
  await expect(house.reading(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  house.replace([b])
  expect(closed).toEqual(['a'])
})
