/**
 * The gpg program, run without a shell.
 *
 * INVARIANT: what it encrypts and decrypts goes through its pipes, never its arguments or environment. What it prints for
 * people is dropped unread; only the keywords of its status lines are looked at.
 */
import type { Failure } from '../../core/failure.ts'
import { codeOf, storeUnavailable, tooLarge, unfit } from './failures.ts'
import { run } from './run.ts'
import type { Environment, GpgSettings } from './settings.ts'

export interface Errand {
  readonly settings: GpgSettings
  readonly env: Environment
  readonly ref: string
}

/** Long enough for a person to type the passphrase that the agent asks for. */
const PATIENCE_MS = 30_000
const QUIETLY = ['--batch', '--quiet', '--no-tty', '--status-fd=2']

export async function decrypt(errand: Errand, bytes: Uint8Array, mostBytes: number): Promise<Uint8Array> {
  const { ended, said } = await gpg(errand, [...QUIETLY, '--decrypt'], bytes, mostBytes)
  // gpg prints a file that is only signed, or not even that, as it is, and calls that and a file cut short a success.
  if (ended.code === 0 && said.has('DECRYPTION_OKAY')) return ended.output
  throw cannotDecrypt(errand.ref, said)
}

export async function encrypt(
  errand: Errand,
  recipient: string,
  bytes: Uint8Array,
  armour: boolean,
  mostBytes: number,
): Promise<Uint8Array> {
  // The operator named the key, which is all the trust there can be; and no key is looked for on the network.
  const whom = ['--trust-model=always', '--no-auto-key-locate', `--recipient=${recipient}`]
  const options = [...QUIETLY, ...whom, ...(armour ? ['--armor'] : []), '--encrypt']
  const { ended, said } = await gpg(errand, options, bytes, mostBytes)
  if (ended.code === 0 && said.has('END_ENCRYPTION')) return ended.output
  throw storeUnavailable(
    said.has('INV_RECP') || said.has('NO_RECP')
      ? 'gpg has no key to encrypt secrets to; import the public key of secret_store.recipient'
      : 'gpg could not encrypt the secret',
  )
}

async function gpg(errand: Errand, options: readonly string[], input: Uint8Array, mostBytes: number) {
  const ended = await run('gpg', options, {
    input,
    mostBytes,
    patienceMs: PATIENCE_MS,
    env: environmentOf(errand),
  }).catch((error: unknown) => {
    throw cannotStart(error)
  })
  if (ended.stopped === 'too_large') throw tooLarge(errand.ref, mostBytes)
  if (ended.stopped === 'too_slow') {
    throw storeUnavailable(
      'gpg did not answer in time; it may be waiting for a passphrase: unlock the key in its agent first',
    )
  }
  return { ended, said: keywords(ended.errors) }
}

function cannotStart(cause: unknown): unknown {
  const code = codeOf(cause)
  if (code === '') return cause
  return storeUnavailable(
    code === 'ENOENT' ? 'there is no gpg on the PATH; install GnuPG' : 'gpg cannot be started',
    cause,
  )
}

function cannotDecrypt(ref: string, said: ReadonlySet<string>): Failure {
  if (said.has('DECRYPTION_KEY')) return unfit(ref, 'its file is damaged')
  if (said.has('ENC_TO') && said.has('DECRYPTION_FAILED')) {
    return storeUnavailable(
      `gpg has no usable key for the secret ${ref}: import or unlock the key it is encrypted to, or restore its file if it is damaged`,
    )
  }
  if (said.has('PLAINTEXT') && !said.has('BEGIN_DECRYPTION')) return unfit(ref, 'its file is not encrypted')
  return unfit(ref, 'its file is damaged or was not made by gpg')
}

function keywords(errors: string): ReadonlySet<string> {
  return new Set([...errors.matchAll(/^\[GNUPG:\] ([A-Z_]+)/gm)].map(([, keyword = '']) => keyword))
}

/**
 * What gpg and its agent need to find their files and to ask a person. Not the rest: an agent lives on, and secrets may be
 * among the variables.
 */
const HANDED_ON = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'GNUPGHOME', 'TMPDIR', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY'],
  ...['APPDATA', 'LOCALAPPDATA', 'USERPROFILE', 'SYSTEMROOT', 'WINDIR', 'PATHEXT', 'TEMP', 'TMP'],
]

function environmentOf({ settings, env }: Errand): Record<string, string> {
  const handedOn = HANDED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]))
  const home = settings.gnupghome === undefined ? {} : { GNUPGHOME: settings.gnupghome }
  return { ...Object.fromEntries(handedOn), ...home, LC_ALL: 'C' }
}
