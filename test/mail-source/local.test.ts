/** The mail-source contract, kept by Postern's own mailbox. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { never, type SourceUnderTest } from './bench.ts'
import { mailSourceContract } from './contract.ts'

mailSourceContract('local', async (): Promise<SourceUnderTest> => {
  const directory = await mkdtemp(join(tmpdir(), 'postern-local-'))
  const path = join(directory, 'mail.db')
  const source = createLocalSource({ path, account: 'me', databases: databaseFiles })
  // Somebody else is another connection to the same file, as another process would be.
  const other = createLocalSource({ path, account: 'me', databases: databaseFiles })
  return {
    source,
    seed: async (mailbox, messages) => {
      await other.createMailbox(mailbox)
      const uids: number[] = []
      for (const { raw, flags = [], received } of messages) {
        const message = { bytes: Buffer.from(raw), flags, ...(received === undefined ? {} : { received }) }
        const placed = await other.append(mailbox, message, never())
        uids.push(placed?.uid ?? 0)
      }
      return uids
    },
    dispose: async () => {
      await Promise.all([source.close(), other.close()])
      await rm(directory, { recursive: true })
    },
  }
})
