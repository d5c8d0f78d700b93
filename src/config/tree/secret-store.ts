/** `secret_store` of accounts.yaml: where secrets are kept. */
import type { Fields } from './fields.ts'
import { readPath, type Surroundings } from './surroundings.ts'
import type { SecretStoreSettings } from './tree.ts'

const TAKES = {
  file_dir: ['path'],
  env_var: [],
  gpg_file: ['path', 'recipient', 'gnupghome'],
  keychain: [],
} as const satisfies Readonly<Record<SecretStoreSettings['backend'], readonly string[]>>

const BACKENDS = Object.keys(TAKES) as SecretStoreSettings['backend'][]
const PLACES = ['path', 'recipient', 'gnupghome'] as const

/** Absent where it is not written; what is wrong has been told. */
export function readSecretStore(fields: Fields, around: Surroundings): SecretStoreSettings | undefined {
  const store = fields.fields('secret_store', 'secret_store', ['backend', ...PLACES])
  if (store === undefined) return undefined
  store.require('backend')
  const backend = store.choice('backend', BACKENDS) ?? 'keychain'
  const takes: readonly string[] = TAKES[backend]
  if (takes.includes('path')) store.require('path')
  for (const key of PLACES.filter((place) => store.has(place) && store.has('backend') && !takes.includes(place))) {
    store.problem(key, `the backend ${backend} takes no ${key}; leave it out, or write another backend instead`)
  }
  const path = readPath(store, 'path', around) ?? ''
  if (backend === 'file_dir') return { backend, path }
  if (backend !== 'gpg_file') return { backend }
  return { backend, path, recipient: store.text('recipient'), gnupghome: readPath(store, 'gnupghome', around) }
}
