/** What is kept on this machine, where secrets go, and which clients are configured. */
import type { MirrorDepth, SecretPlace } from '../../../core/setup/tree-change.ts'
import { requireClient } from '../../../engine/setup/client-entries.ts'
import type { SetupChoice } from './choice.ts'
import type { CurrentTree, SetUpAccount } from './desk.ts'
import type { Prompter } from './prompter.ts'
import type { SetupParts } from './setup.ts'

export async function askMirror(
  { mirror }: SetupChoice,
  there: SetUpAccount | undefined,
  prompter: Prompter,
): Promise<MirrorDepth> {
  if (mirror !== undefined) return mirror
  return prompter.choose<MirrorDepth>({
    flag: '--mirror',
    message: 'Keep mail on this machine, for fast searches?',
    options: [
      { value: 'off', label: 'No', hint: 'the server is asked every time' },
      { value: 'headers', label: 'Headers only', hint: 'senders, subjects, dates' },
      { value: 'full', label: 'Everything', hint: 'searches the text of letters too' },
    ],
    initial: there?.mirror ?? 'off',
  })
}

/** A tree that has a store keeps it. */
export async function askSecrets(
  { secrets }: SetupChoice,
  current: CurrentTree | undefined,
  { desk, prompter }: SetupParts,
): Promise<SecretPlace> {
  if (current !== undefined) return 'file'
  if (secrets !== undefined) return secrets
  if (!(await desk.hasKeychain())) return 'file'
  return prompter.choose<SecretPlace>({
    flag: '--secrets',
    message: 'Where is the password kept?',
    options: [
      { value: 'keychain', label: 'In the keychain of this machine' },
      { value: 'file', label: 'In a file that only you can read' },
    ],
    initial: 'keychain',
  })
}

/** In a script no client is touched that was not named. */
export async function askClients({ client }: SetupChoice, { desk, prompter }: SetupParts): Promise<readonly string[]> {
  if (client !== undefined) return client.map((id) => requireClient(id).id)
  if (!prompter.interactive) return []
  const states = await desk.clients.list('postern')
  const usable = states.filter(({ found, client: known }) => found && known.key !== undefined)
  if (usable.length === 0) return []
  return prompter.several({
    flag: '--client',
    message: 'Which of these programs should have it? Those found here are chosen.',
    options: usable.map(({ client: known, configured }) => ({
      value: known.id,
      label: known.name,
      ...(configured && { hint: 'has it already' }),
    })),
    initial: usable.map(({ client: known }) => known.id),
  })
}
