/** Settings of a Dovecot that takes nothing but tokens, so that no test can pass by a password. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Provider } from './provider.ts'
import { newDirectory } from './scene.ts'

export function tokensOnly(provider: Provider, mechanism: string): string {
  const directory = newDirectory()
  // Dovecot reads it as its own user.
  chmodSync(directory, 0o755)
  const file = join(directory, 'oauth2.conf')
  const lines = [
    `introspection_url = ${provider.url}/introspect`,
    'introspection_mode = post',
    'username_attribute = username',
    'active_attribute = active',
    'active_value = true',
  ]
  writeFileSync(file, lines.join('\n'), { mode: 0o644 })
  const passdb = ['passdb {', '  driver = oauth2', `  mechanisms = ${mechanism}`, `  args = ${file}`, '}']
  return [`auth_mechanisms = ${mechanism}`, ...passdb].join('\n')
}
