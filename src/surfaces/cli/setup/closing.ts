/** The end of setting up: what will be written, a first look, the clients, and what comes next. */
import { Failure } from '../../../core/failure.ts'
import { clientText } from '../../../core/setup/client-text.ts'
import type { Deed } from '../../../core/setup/preset.ts'
import { serverText } from '../../../core/setup/servers.ts'
import type { SecretPlace } from '../../../core/setup/tree-change.ts'
import { count } from '../../../core/text/count.ts'
import { requireClient } from '../../../engine/setup/client-entries.ts'
import { changeText } from '../client-command.ts'
import { escaped } from '../escaped.ts'
import type { CurrentTree, SetupDesk, SetupWish } from './desk.ts'
import type { SetupParts } from './setup.ts'

export function summary(
  { account, caller, policy, sends, access, secrets }: SetupWish,
  { directory }: SetupDesk,
  current: CurrentTree | undefined,
): string {
  const { id, address, imap, smtp, kind, mirror, auth } = account
  const place = current?.secretsIn ?? SECRET_PLACES[secrets]
  return [
    `Account ${id}: ${address} at ${imap === undefined ? kind : serverText(imap)}`,
    ...(smtp === undefined ? [] : [`Letters leave by ${serverText(smtp)}`]),
    `What the agent may do: ${deedsText(access, sends)}`,
    `The agent is called "${caller}" here, and its rules are the policy "${policy}"`,
    `All this goes to ${directory}`,
    `Mail kept on this machine (mirror): ${{ off: 'none', headers: 'headers', full: 'all' }[mirror]}`,
    `${auth === 'password' ? 'Password' : 'Granted access'} kept in ${place}`,
  ].join('\n')
}

const SECRET_PLACES: Readonly<Record<SecretPlace, string>> = {
  keychain: 'the keychain of this machine',
  file: 'a file below secrets/ there that only you can read',
}

const DEED_WORDS: Readonly<Record<Exclude<Deed, 'send'>, string>> = {
  mark: 'mark mail',
  // The tool sets that setup writes have no tool that moves mail.
  file: 'move mail with the tool sets policy and imap',
  draft: 'write drafts',
}

function deedsText(access: SetupWish['access'], sends: boolean): string {
  if (access === undefined) return 'what it may now'
  const where = access.folders.length === 0 ? 'all folders' : access.folders.map(escaped).join(', ')
  const deeds = access.may.flatMap((deed) => (deed === 'send' ? [] : [DEED_WORDS[deed]]))
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
      const next = `"${desk.program} doctor" looks closer, and "${desk.program} client add" configures a client`
      throw new Failure(error.code, `the account is set up, but the first look at it failed: ${why}; ${next}`, {
        cause: error,
      })
    })
  const { folders, messages, subjects } = tried
  const found = `${count(folders, 'folder')}, ${count(messages, 'message')} in the inbox`
  prompter.say([`It works: ${found}.`, ...subjects.map((subject) => `  ${escaped(subject)}`)].join('\n'))
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
  prompter.say(nextSteps(desk.program, clients.length === 0, 'DEV_MODE' in server.env).join('\n'))
}

function nextSteps(program: string, hasNoClient: boolean, sends: boolean): readonly string[] {
  return [
    ...(hasNoClient
      ? [`"${program} client add NAME" puts it into an MCP client; "${program} client list" names them.`]
      : []),
    `"${program} check" says what each agent may do; "${program} setup" again adds, changes or removes an account.`,
    ...(sends ? [`Letters wait for you: "${program} outbox" shows them, "${program} approve ID" lets one go.`] : []),
    `"${program} console" shows ${sends ? 'the same' : 'what agents do'} in your browser.`,
  ]
}
