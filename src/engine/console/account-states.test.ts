import { expect, test } from 'vitest'
import type { MirroredFolder } from '../../ports/mirror-store.ts'
import { type Account, Accounts } from '../accounts/accounts.ts'
import { type AccountStatesParts, createAccountStates } from './account-states.ts'

const folder = (mailbox: string, depth: 'headers' | 'full', kept: number): MirroredFolder => ({
  mailbox,
  depth,
  state: { uidvalidity: 1, uidNext: 1, messages: kept },
  filledDownTo: 1,
  kept,
  indexed: kept,
  authservId: undefined,
  checkedAt: 0,
})

async function mirrorOf(
  depth: 'headers' | 'full',
  folders: readonly MirroredFolder[],
  isKept = true,
): Promise<unknown> {
  const mirror = { store: { folders: async () => folders }, depth }
  const account = { id: 'work', host: 'h', provider: 'imap-standard', mirror } as unknown as Account
  const accounts = new Accounts([account])
  const parts = { accounts, isKept: async () => isKept } as unknown as AccountStatesParts
  const [state] = await createAccountStates(parts).list()
  return state?.mirror
}

test('how much is kept is what was chosen, whatever an empty folder says', async () => {
  const folders = [folder('Archive', 'headers', 0), folder('INBOX', 'full', 7)]
  expect(await mirrorOf('full', folders)).toMatchObject({ depth: 'full', messages: 7, folders: 2 })
  expect(await mirrorOf('headers', [folder('INBOX', 'headers', 7)])).toMatchObject({ depth: 'headers' })
  expect(await mirrorOf('full', [], false)).toMatchObject({ depth: 'full', folders: 0 })
})
