/**
 * `postern setup`: an account, what an agent may do with it, and the client, in a minute.
 *
 * INVARIANT: nothing is written before every question is answered and the login has been tried; what is written is a whole tree.
 */

import { Failure } from '../../../core/failure.ts'
import { readValue } from '../../../core/policy/values.ts'
import { agentFor } from '../../../core/setup/agent.ts'
import type { Server } from '../../../core/setup/servers.ts'
import { accountIdFor } from '../../../core/setup/tree-change.ts'
import type { Terminal } from '../program.ts'
import { askAccess } from './ask-access.ts'
import { askLogin } from './ask-login.ts'
import { askClients, askMirror, askSecrets } from './ask-rest.ts'
import { askServers, askSmtp, saysWayOut, type Whereabouts } from './ask-servers.ts'
import type { Asking } from './asking.ts'
import type { SetupChoice } from './choice.ts'
import { configureClients, lookAround, summary } from './closing.ts'
import type { CurrentTree, SetUpAccount, SetupDesk } from './desk.ts'
import { usersOf } from './login.ts'
import type { Prompter } from './prompter.ts'
import { askWhatToDo, removeAccount } from './remove.ts'
import { grantSteps, wishFrom } from './wish.ts'

export interface SetupParts {
  readonly desk: SetupDesk
  readonly prompter: Prompter
  readonly terminal: Terminal
  openBrowser(url: string): Promise<boolean>
  /** Aborts when the person stops. */
  readonly signal: AbortSignal
}

export async function setupCommand(choice: SetupChoice, parts: SetupParts): Promise<number> {
  try {
    await setup(choice, parts)
    return 0
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    parts.terminal.complain(`postern: ${error.message}\n`)
    return 1
  }
}

async function setup(choice: SetupChoice, parts: SetupParts): Promise<void> {
  const current = parts.desk.current()
  if (choice.remove !== undefined) return removeAccount(choice.remove, current, parts)
  const begun = await begin(choice, current, parts)
  if ('remove' in begun) return removeAccount(begun.remove, current, parts)
  await setUp(begun, choice, current, parts)
}

interface Begun {
  readonly address: string
  /** The account that is changed. */
  readonly there: SetUpAccount | undefined
}

/** Which account is meant: a new one, or one that is there. */
async function begin(
  choice: SetupChoice,
  current: CurrentTree | undefined,
  { prompter }: SetupParts,
): Promise<Begun | { readonly remove: string }> {
  const known = current?.accounts ?? []
  if (choice.address === undefined && choice.account === undefined && known.length > 0 && prompter.interactive) {
    const chosen = await askWhatToDo(known, prompter)
    if (chosen.kind === 'remove') return { remove: chosen.account.id }
    if (chosen.kind === 'change') return { there: chosen.account, address: await addressOf(chosen.account, prompter) }
  }
  const named = known.find(({ id }) => id === choice.account)
  if (choice.address === undefined && named !== undefined) {
    return { there: named, address: await addressOf(named, prompter) }
  }
  const address = choice.address ?? (await askAddress(prompter))
  const problem = problemOfAddress(address)
  if (problem !== undefined) throw new Failure('invalid_input', `--address: ${problem}`)
  const same = known.filter((account) => account.address?.toLowerCase() === address.toLowerCase())
  return { address, there: named ?? (choice.account === undefined ? same[0] : undefined) }
}

async function addressOf({ address }: SetUpAccount, prompter: Prompter): Promise<string> {
  return address ?? askAddress(prompter)
}

function askAddress(prompter: Prompter): Promise<string> {
  return prompter.text({ flag: '--address', message: 'Your mail address', problem: problemOfAddress })
}

function problemOfAddress(address: string): string | undefined {
  return readValue('address', address).ok ? undefined : 'that is no mail address; write name@example.com'
}

async function setUp(
  { address, there }: Begun,
  choice: SetupChoice,
  current: CurrentTree | undefined,
  parts: SetupParts,
): Promise<void> {
  const { desk, prompter, signal } = parts
  const asking = { choice, prompter, desk, signal }
  const id = there?.id ?? idFor(address, choice, current)
  const where = await askServers(address, there, asking)
  const access = await askAccess(choice, there === undefined, prompter)
  const sends = access?.may.includes('send') ?? isSending(there, current)
  const agent = agentFor(current ?? NOBODY, callerOf(id, choice, current, there), { id, kind: where.kind, sends })
  const smtp = await wayOut(where, { address, there }, { sends, stays: access === undefined }, asking)
  const asked = { address, where, smtp, there, caFile: choice.caFile }
  // A server that could not be reached may be another one afterwards.
  const { login, place } = await askLogin({ ...asked, users: usersOf(asked, choice) }, asking)
  const mirror = await askMirror(choice, there, prompter)
  const secrets = await askSecrets(choice, current, parts)
  const clients = await askClients(choice, parts)
  const wish = wishFrom({
    id,
    address,
    where: place.where,
    smtp: place.smtp,
    users: place.users,
    caFile: place.caFile,
    login,
    mirror,
    secrets,
    agent,
    access,
    there,
  })
  prompter.say(summary(wish, desk, current))
  if (!(await prompter.agree({ flag: '--yes', message: 'Write this?', initial: true }))) {
    throw new Failure('cancelled', 'nothing was written')
  }
  const written = await desk.write(wish, grantSteps(choice, parts), signal)
  if (written.backup !== undefined) prompter.say(`What was there before is in ${written.backup}`)
  await lookAround(wish, parts)
  await configureClients(clients, agent.caller, parts)
}

/** Where letters leave, if any do. What stays as it is keeps its way out too, whether or not the policy lets anything go. */
async function wayOut(
  { kind, smtp }: Whereabouts,
  { address, there }: Begun,
  { sends, stays }: { readonly sends: boolean; readonly stays: boolean },
  asking: Asking,
): Promise<Server | undefined> {
  if (sends) return smtp ?? askSmtp(address, asking)
  if (stays && there?.smtp !== undefined && kind === 'imap-standard') return smtp
  if (!saysWayOut(asking.choice)) return undefined
  const why = 'the agent may not send from this account'
  if (asking.prompter.interactive && asking.choice.preset === undefined) {
    // A person has just chosen so, and sees before anything is written what does not count then.
    asking.prompter.say(`Where letters leave is left out: ${why}.`)
    return undefined
  }
  const cure = 'let it with --preset assistant, or leave out what says where letters leave'
  throw new Failure('invalid_input', `${why}; ${cure}`)
}

const NOBODY = { accounts: [], callers: [], policies: [] }

function isSending(there: SetUpAccount | undefined, current: CurrentTree | undefined): boolean {
  if (there?.canSend !== true) return false
  return current?.callers.some(({ sends, accounts }) => sends && accounts.includes(there.id)) ?? false
}

/** An account that is changed stays with the agent that has it. */
function callerOf(
  id: string,
  { caller }: SetupChoice,
  current: CurrentTree | undefined,
  there: SetUpAccount | undefined,
): string | undefined {
  if (caller !== undefined || there === undefined) return caller
  return current?.callers.find(({ accounts }) => accounts.includes(id))?.id
}

function idFor(address: string, { account }: SetupChoice, current: CurrentTree | undefined): string {
  if (account === undefined) return accountIdFor(address, new Set(current?.accounts.map(({ id }) => id)))
  if (/^[A-Za-z0-9_][A-Za-z0-9_-]{0,31}$/.test(account)) return account
  throw new Failure('invalid_input', '--account is 1 to 32 letters, digits, _ or -')
}
