/** A process of its own that imports an archive, and tells its parent whenever something was stored. */
import { createMailArchive } from '../../src/adapters/archive/archive.ts'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { importMail } from '../../src/engine/import/import-mail.ts'

const [path = '', database = ''] = process.argv.slice(2)
const mailbox = createLocalSource({ path: database, account: 'me', databases: databaseFiles })
const parts = { archive: createMailArchive(), mailbox, clock: systemClock }
const onProgress = (): void => void process.send?.('stored')
const { added } = await importMail(parts, { path, signal: new AbortController().signal, onProgress })
process.send?.(added)
await mailbox.close()
process.disconnect?.()
