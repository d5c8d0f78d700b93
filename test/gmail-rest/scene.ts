/**
 * A Gmail account as the emulator plays it, with what it lacks put on top (`supplement.ts`) and a proxy that makes faults (`proxy.ts`).
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createEmulator } from '@emulators/core'
import { getGoogleStore, googlePlugin, seedFromConfig } from '@emulators/google'
import { createGmailClient, type GmailClient } from '../../src/adapters/gmail/client/client.ts'
import type { QuotaTimes } from '../../src/adapters/gmail/client/quota.ts'
import type { Access } from '../../src/ports/access.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { type FaultProxy, startProxy } from './proxy.ts'
import { createSupplement, type Held } from './supplement.ts'

export const ADDRESS = 'ada@gmail.example'

export interface GmailScene {
  readonly proxy: FaultProxy
  readonly url: string
  readonly access: CountedAccess
  readonly client: GmailClient
  /** A directory of the scene's own. */
  readonly directory: string
  /** How long was waited for, each time, without waiting. */
  readonly pauses: number[]
  readonly times: QuotaTimes
  /** Puts a message in, as mail that came; gives its Gmail id. */
  deliver(raw: string | Uint8Array, options?: Delivery): Promise<string>
  createLabel(name: string): Promise<string>
  /** Everything that the account holds. */
  held(): readonly Held[]
  close(): Promise<void>
}

export interface Delivery {
  readonly labels?: readonly string[]
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received?: number
  readonly thread?: string
}

export interface CountedAccess extends Access {
  /** How many tokens were refused. */
  refusals: number
}

export async function gmailScene(): Promise<GmailScene> {
  const emulator = startEmulator()
  let token = 'token-0'
  const proxy = await startProxy(
    createSupplement({
      emulator: (request) => emulator.app.fetch(request),
      messages: emulator.held,
      labels: emulator.labels,
      takes: (given) => given === token,
      tokens: emulator.tokens,
      address: ADDRESS,
    }),
  )
  const access: CountedAccess = {
    refusals: 0,
    credentials: async () => ({ kind: 'token', accessToken: token }),
    standing: async () => ({ state: 'active', mayWrite: true }),
    refused: async () => {
      access.refusals += 1
      token = `token-${access.refusals}`
    },
  }
  const pauses: number[] = []
  const times = timesThatNoteAndDoNotWait(pauses)
  const client = createGmailClient({ baseUrl: proxy.url, access, log: silentLog, times })
  const directory = await mkdtemp(join(tmpdir(), 'postern-gmail-'))
  return {
    ...{ proxy, url: proxy.url, access, client, directory, pauses, times },
    held: emulator.held,
    deliver: async (raw, { labels = ['INBOX', 'UNREAD'], received, thread } = {}) =>
      emulator.insert({
        raw: Buffer.from(raw).toString('base64url'),
        labelIds: labels,
        internalDate: String((received ?? Math.floor(Date.now() / 1000)) * 1000),
        ...(thread === undefined ? {} : { threadId: thread }),
      }),
    createLabel: (name) => emulator.createLabel(name),
    close: async () => {
      client.close()
      await proxy.close()
      await rm(directory, { recursive: true })
    },
  }
}

/** The emulator makes them when they are first used. */
const SYSTEM_LABELS = ['INBOX', 'SENT', 'DRAFT', 'TRASH', 'SPAM', 'STARRED', 'IMPORTANT', 'UNREAD']

type OAuthClient = NonNullable<Parameters<typeof seedFromConfig>[2]['oauth_clients']>[number]

export interface RunningEmulator {
  readonly app: { fetch(request: Request): Response | Promise<Response> }
  readonly tokens: readonly string[]
  /** The access tokens that its OAuth has given out and not taken back. */
  readonly granted: Map<string, unknown>
  held(): readonly Held[]
  labels(): readonly string[]
  insert(message: object): Promise<string>
  createLabel(name: string): Promise<string>
}

/** With clients of its OAuth, where there are to be any. */
export function startEmulator(baseUrl = 'http://127.0.0.1', clients: readonly OAuthClient[] = []): RunningEmulator {
  // It stops answering a token after 5,000 requests.
  const tokens = Array.from({ length: 100 }, (_, index) => `emulated-${index}`)
  const owner = { login: ADDRESS, id: 1, scopes: ['https://mail.google.com/'] }
  const emulator = createEmulator(googlePlugin, {
    baseUrl,
    tokens: Object.fromEntries([...tokens, 'somebody-else'].map((token) => [token, owner])),
  })
  const users = [{ email: ADDRESS, name: 'Ada' }]
  seedFromConfig(emulator.store, baseUrl, { users, oauth_clients: [...clients] })
  const { messages, labels } = getGoogleStore(emulator.store)
  const post = async (path: string, body: object): Promise<string> => {
    const headers = { Authorization: 'Bearer somebody-else', 'Content-Type': 'application/json' }
    const url = `http://127.0.0.1/gmail/v1/users/me/${path}`
    const response = await emulator.app.fetch(new Request(url, { method: 'POST', headers, body: JSON.stringify(body) }))
    if (!response.ok) throw new Error(`the emulator refused: ${response.status} ${await response.text()}`)
    return ((await response.json()) as { id: string }).id
  }
  return {
    app: emulator.app,
    tokens,
    granted: emulator.tokenMap,
    held: () =>
      messages.findBy('user_email', ADDRESS).map((message) => ({
        id: message.gmail_id,
        threadId: message.thread_id,
        labelIds: message.label_ids,
        internalDate: message.internal_date,
        raw: message.raw ?? '',
      })),
    labels: () => [...SYSTEM_LABELS, ...labels.findBy('user_email', ADDRESS).map((label) => label.gmail_id)],
    insert: (message) => post('messages', message),
    createLabel: (name) => post('labels', { name }),
  }
}

/** A clock that goes on when somebody sleeps, so that nobody waits. */
function timesThatNoteAndDoNotWait(pauses: number[]): QuotaTimes {
  let slept = 0
  return {
    elapsed: () => performance.now() + slept,
    sleep: async (milliseconds, signal) => {
      signal.throwIfAborted()
      pauses.push(milliseconds)
      slept += milliseconds
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
