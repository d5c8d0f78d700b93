/** The end of setting up: what will be written, a first look, the clients, and what comes next. */
import { Failure } from '../../../core/failure.ts'
import { clientText } from '../../../core/setup/client-text.ts'
import { serverText } from '../../../core/setup/servers.ts'
import { requireClient } from '../../../engine/setup/client-entries.ts'
import { changeText } from '../client-command.ts'
import { escaped } from '../escaped.ts'
import type { SetupWish } from './desk.ts'
import type { SetupParts } from './setup.ts'

export function summary({ account, caller, policy, sends, access }: SetupWish, directory: string): string {
  const { id, address, imap, smtp, kind, mirror } = account
  return [
    `Account ${id}: ${address} at ${imap === undefined ? kind : serverText(imap)}`,
    ...(smtp === undefined ? [] : [`Letters leave by ${serverText(smtp)}`]),
    `Agent ${caller} (policy ${policy}): ${deedsText(access, sends)}`,
    `Kept on this machine: ${{ off: 'nothing', headers: 'headers', full: 'all mail' }[mirror]}`,
    `Goes to ${directory}`,
  ].join('\n')
}

function deedsText(access: SetupWish['access'], sends: boolean): string {
  if (access === undefined) return 'may do what it may now'
  const where = access.folders.length === 0 ? 'all folders' : access.folders.map(escaped).join(', ')
  const deeds = access.may.filter((deed) => deed !== 'send')
  const more = deeds.length === 0 ? 'changes nothing' : `may ${deeds.join(', ')}`
  const sending = access.may.includes('send') ? 'sends what you approve' : 'sends nothing from here'
  return `reads ${where} (${access.level}), ${more}, ${sends ? sending : 'sends nothing'}`
}

/** The tree as it was written, used for the first time. */
export async function lookAround({ account }: SetupWish, { desk, prompter, signal }: SetupParts): Promise<void> {
  const tried = await prompter
    .busy('A first look', () => desk.look(account.id, signal))
    .catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error
      const why = signal.aborted ? 'it was stopped' : error.message
      const next = '"postern doctor" looks closer, and "postern client add" configures a client'
      throw new Failure(error.code, `the account is set up, but the first look at it failed: ${why}; ${next}`, {
        cause: error,
      })
    })
  const { folders, messages, subjects } = tried
  const many = `${folders} ${folders === 1 ? 'folder' : 'folders'}, ${messages} ${messages === 1 ? 'message' : 'messages'} in the inbox`
  prompter.say([`It works: ${many}.`, ...subjects.map((subject) => `  ${escaped(subject)}`)].join('\n'))
}

/** A client that cannot be configured does not undo what was set up: its snippet is shown instead. */
export async function configureClients(
  clients: readonly string[],
  caller: string,
  { desk, prompter }: SetupParts,
): Promise<void> {
  const server = desk.clients.server(caller)
  for (const id of clients) {
    const client = requireClient(id)
    try {
      prompter.say(changeText(await desk.clients.add(client, 'postern', server)))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      prompter.say(`${error.message}\n\n${clientText(client, 'postern', server)}`)
    }
  }
  const next = [
    ...(clients.length === 0
      ? ['"postern client add NAME" puts it into an MCP client; "postern client list" names them.']
      : []),
    '"postern check" says what each agent may do; "postern setup" again adds, changes or removes an account.',
    ...('DEV_MODE' in server.env
      ? ['Letters wait for you: "postern outbox" shows them, "postern approve ID" lets one go.']
      : []),
  ]
  prompter.say(next.join('\n'))
}
