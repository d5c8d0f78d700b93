/** Removing an account, and the question what is to be done with those that are there. */
import { Failure } from '../../../core/failure.ts'
import { nearest } from '../../../core/text/nearest.ts'
import type { CurrentTree, SetUpAccount, SetupDesk } from './desk.ts'
import type { Prompter } from './prompter.ts'
import type { SetupParts } from './setup.ts'

export type Chosen = { readonly kind: 'add' } | { readonly kind: 'change' | 'remove'; readonly account: SetUpAccount }

export async function askWhatToDo(known: readonly SetUpAccount[], prompter: Prompter): Promise<Chosen> {
  const kind = await prompter.choose<Chosen['kind']>({
    flag: '--address',
    message: `There ${known.length === 1 ? 'is an account' : `are ${known.length} accounts`} already. What do you want to do?`,
    options: [
      { value: 'add', label: 'Add another account' },
      { value: 'change', label: 'Change one' },
      { value: 'remove', label: 'Remove one' },
    ],
    initial: 'add',
  })
  if (kind === 'add') return { kind }
  const id = await prompter.choose({
    flag: kind === 'remove' ? '--remove' : '--account',
    message: 'Which one?',
    options: known.map((account) => ({ value: account.id, label: account.id, hint: account.address ?? account.user })),
  })
  return { kind, account: accountNamed(id, known) }
}

export async function removeAccount(
  id: string,
  current: CurrentTree | undefined,
  { desk, prompter }: SetupParts,
): Promise<void> {
  const account = accountNamed(id, current?.accounts ?? [])
  const question = `Remove account ${account.id}? The mail itself stays where it is.`
  if (!(await prompter.agree({ flag: '--yes', message: question, initial: !prompter.interactive }))) {
    throw new Failure('cancelled', 'nothing was removed')
  }
  const { backup, left, leftovers } = await desk.remove(account.id)
  prompter.say(
    [
      `Account ${account.id} was removed${left === 0 ? '; it was the last one' : ''}.`,
      ...(backup === undefined ? [] : [`What was there before is in ${backup}`]),
      ...leftovers,
      ...(left === 0 ? await orphans(desk) : []),
    ].join('\n'),
  )
}

/** Clients that would start a server that has nothing to serve. */
async function orphans({ clients, directory, program }: SetupDesk): Promise<readonly string[]> {
  const here = JSON.stringify(directory)
  const states = await clients.list('postern')
  return states
    .filter(({ entry }) => entry?.includes(here))
    .map(
      ({ client, file }) =>
        `${client.name} still starts Postern with this configuration (${file}): "${program} client remove ${client.id}" takes it out.`,
    )
}

function accountNamed(id: string, known: readonly SetUpAccount[]): SetUpAccount {
  const account = known.find((candidate) => candidate.id === id)
  if (account !== undefined) return account
  const ids = known.map((candidate) => candidate.id)
  const meant = nearest(id, ids) ?? ids.join(', ')
  const cure = meant === '' ? 'nothing is set up yet' : `there is ${meant}`
  throw new Failure('not_found', `there is no account of that name; ${cure}`)
}
