/** The secret store that the settings name. */
import { unreachable } from '../../core/failure.ts'
import type { SecretStore } from '../../ports/secrets.ts'
import { createEnvironmentStore } from './environment-store.ts'
import { createFileStore } from './file-store.ts'
import { createGpgStore } from './gpg-store.ts'
import { createKeychainStore } from './keychain-store.ts'
import type { Environment, SecretStoreSettings } from './settings.ts'

export function createSecretStore(settings: SecretStoreSettings, env: Environment): SecretStore {
  switch (settings.backend) {
    case 'file_dir':
      return createFileStore(settings.path)
    case 'env_var':
      return createEnvironmentStore(env)
    case 'gpg_file':
      return createGpgStore(settings, env)
    case 'keychain':
      return createKeychainStore()
    default:
      return unreachable(settings)
  }
}
