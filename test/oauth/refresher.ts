/**
 * A process that needs a new access token again and again: `node refresher.ts DIRECTORY PROVIDER COUNT`. Says on stdout how
 * each time went.
 */
import { join } from 'node:path'
import { createGrantNotes } from '../../src/adapters/oauth/grant-notes.ts'
import { createTokenEndpoint } from '../../src/adapters/oauth/token-endpoint.ts'
import { Failure } from '../../src/core/failure.ts'
import { createOAuthAccess } from '../../src/engine/credentials/oauth-access.ts'
import { fileSecrets } from './secrets.ts'

const [directory = '', provider = '', count = '0'] = process.argv.slice(2)
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
let now = Date.now()
const access = createOAuthAccess({
  account: 'work',
  secretRef: 'secret://accounts/work/refresh_token',
  scope: 'mail',
  tokenCache: 'memory_only',
  secrets: fileSecrets(join(directory, 'secrets')),
  notes: createGrantNotes({ directory }),
  endpoint: createTokenEndpoint({
    ...{ provider: 'generic', clientId: 'postern' },
    ...{ authorizationUrl: `${provider}/authorize`, tokenUrl: `${provider}/token` },
  }),
  clock: { now: () => now, elapsed: () => performance.now() },
  log: quiet,
  onRefresh: async () => undefined,
})

for (let round = 0; round < Number(count); round += 1) {
  now += 3_600_000
  const said = await access.credentials(new AbortController().signal).then(
    ({ kind }) => kind,
    (error: unknown) => (error instanceof Failure ? error.code : `${error}`),
  )
  process.stdout.write(`${said}\n`)
}
