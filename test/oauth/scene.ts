/** A provider, a place for secrets and notes, and as many accesses to one account as a test wants. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createGrantNotes } from '../../src/adapters/oauth/grant-notes.ts'
import type { OAuthSettings } from '../../src/adapters/oauth/settings.ts'
import { createTokenEndpoint } from '../../src/adapters/oauth/token-endpoint.ts'
import type { Failure } from '../../src/core/failure.ts'
import {
  createOAuthAccess,
  type OAuthAccessParts,
  type RefreshOutcome,
} from '../../src/engine/credentials/oauth-access.ts'
import type { Access } from '../../src/ports/access.ts'
import type { Log } from '../../src/ports/log.ts'
import { type Provider, type ProviderManner, startProvider } from './provider.ts'
import { fileSecrets } from './secrets.ts'

export const REF = 'secret://accounts/work/refresh_token'
export const never = (): AbortSignal => new AbortController().signal

export interface Scene {
  readonly directory: string
  readonly provider: Provider
  readonly settings: OAuthSettings
  /** Milliseconds to add to the real time. */
  readonly time: { skip: number }
  readonly outcomes: RefreshOutcome[]
  /** All that was logged. */
  readonly logged: string[]
  parts(changes?: Partial<OAuthAccessParts>): OAuthAccessParts
  access(changes?: Partial<OAuthAccessParts>): Access
}

export async function setScene(manner: ProviderManner = {}): Promise<Scene> {
  const directory = newDirectory()
  const provider = await startProvider(manner)
  onTestFinished(() => provider.close())
  const settings: OAuthSettings = {
    ...{ provider: 'generic', clientId: 'postern', requestTimeoutMs: 2000 },
    ...{ authorizationUrl: `${provider.url}/authorize`, tokenUrl: `${provider.url}/token` },
  }
  const time = { skip: 0 }
  const [outcomes, logged]: [RefreshOutcome[], string[]] = [[], []]
  const note = (fields: unknown, message: string): void => void logged.push(JSON.stringify(fields) + message)
  const log: Log = { debug: note, info: note, warn: note, error: note }
  const parts = (changes: Partial<OAuthAccessParts> = {}): OAuthAccessParts => ({
    ...{ account: 'work', secretRef: REF, scope: 'mail', tokenCache: 'memory_only', log },
    secrets: fileSecrets(join(directory, 'secrets')),
    notes: createGrantNotes({ directory }),
    endpoint: createTokenEndpoint(settings),
    clock: { now: () => Date.now() + time.skip, elapsed: () => performance.now() + time.skip },
    onRefresh: async (_, outcome) => void outcomes.push(outcome),
    ...changes,
  })
  const access = (changes?: Partial<OAuthAccessParts>): Access => createOAuthAccess(parts(changes))
  return { directory, provider, settings, time, outcomes, logged, parts, access }
}

export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'po-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export async function tokenOf(access: Access): Promise<string> {
  const credentials = await access.credentials(never())
  if (credentials.kind !== 'token') throw new Error('a token was expected')
  return credentials.accessToken
}

export async function failureOf(call: Promise<unknown>): Promise<Failure> {
  return call.then(
    () => {
      throw new Error('the call should have failed')
    },
    (error: Failure) => error,
  )
}
