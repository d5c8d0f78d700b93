/** Secrets in plain files of a directory that is the test's own. */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from '../../src/core/failure.ts'
import type { SecretStore } from '../../src/ports/secrets.ts'

export function fileSecrets(directory: string, writable = true): SecretStore {
  const pathOf = (ref: string): string => join(directory, ref.replace('secret://', ''))
  return {
    writable,
    warnings: async () => [],
    read: (ref) =>
      readFile(pathOf(ref), 'utf8').then(
        (text) => text.trimEnd(),
        () => {
          throw new Failure('not_found', 'there is no such secret')
        },
      ),
    async write(ref, secret) {
      if (!writable) throw new Failure('unsupported', 'this store is read-only')
      await mkdir(dirname(pathOf(ref)), { recursive: true })
      const draft = `${pathOf(ref)}.${randomUUID()}`
      await writeFile(draft, `${secret}\n`, { mode: 0o600 })
      await rename(draft, pathOf(ref))
    },
  }
}
