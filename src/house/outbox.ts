/**
 * The outbox of a data directory, for servers and for an operator's commands alike.
 *
 * INVARIANT: nothing is loaded before the first letter, the first note of what was read, or something left behind.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../adapters/clock/system-clock.ts'
import { readDevMode } from '../config/dev-mode.ts'
import { chosenVault } from '../config/directories.ts'
import type { Accounts } from '../engine/accounts/accounts.ts'
import type { OutboxDesk } from '../engine/outbox/desk.ts'
import type { Outbox } from '../engine/outbox/outbox.ts'
import type { OutboxParts } from '../engine/outbox/parts.ts'
import type { AuditLog } from '../ports/audit-log.ts'
import type { ContentReader } from '../ports/content-reader.ts'
import type { Log } from '../ports/log.ts'
import { lazily, once } from './lazily.ts'

export interface OutboxSettings {
  /** Where people approve letters. */
  readonly vault: string
  /** Whether nothing may leave. */
  readonly devMode: boolean
}

export interface OutboxFurnishings extends OutboxSettings {
  /** Where state lives. */
  readonly directory: string
  readonly accounts: Accounts
  readonly audit: AuditLog
  readonly content: Pick<ContentReader, 'review' | 'html'>
  readonly log: Log
}

export interface OpenedOutbox {
  readonly outbox: Pick<Outbox, 'send' | 'heldBack' | 'noteReading' | 'noteLeaving'>
  /** Takes up what was left behind. Never rejects. */
  resume(): Promise<void>
  desk(): OutboxDesk
  /** Whether letters of an account are. */
  isKept(account: string): Promise<boolean>
  /** Everything that is kept of an account, but for letters that are still open. Returns how many letters that were. */
  forget(account: string): Promise<number>
  close(): Promise<void>
}

type Variables = Readonly<Record<string, string | undefined>>

/** `vault` is what a configuration tree says. */
export function outboxSettings(env: Variables, directory: string, vault?: string): OutboxSettings {
  return { vault: chosenVault(env) ?? vault ?? join(directory, 'vault'), devMode: readDevMode(env) }
}

export function openOutbox(furnishings: OutboxFurnishings): OpenedOutbox {
  const path = join(furnishings.directory, 'outbox.db')
  let opened: OutboxParts | undefined
  const parts = once(async () => {
    opened = await partsOf(path, furnishings)
    return opened
  })
  return {
    outbox: lazily(async () => {
      const { Outbox: Made } = await import('../engine/outbox/outbox.ts')
      return new Made(await parts())
    }),
    async resume() {
      if (!existsSync(path)) return
      const { resumeOutbox } = await import('../engine/outbox/resume.ts')
      const { sendVersions } = await import('../engine/outbox/versions.ts')
      await parts()
        .then(async (all) => {
          await resumeOutbox(all)
          await sendVersions(all)
        })
        .catch((err: unknown) => furnishings.log.error({ err }, 'letters that were left behind could not be looked at'))
    },
    desk: () =>
      lazily(async () => {
        const { createOutboxDesk } = await import('../engine/outbox/operator-desk.ts')
        return createOutboxDesk(await parts())
      }),
    async isKept(account) {
      if (!existsSync(path)) return false
      const letters = await (await parts()).store.list({ most: Number.MAX_SAFE_INTEGER })
      return letters.some(({ sending }) => sending.account === account)
    },
    async forget(account) {
      if (!existsSync(path) && !existsSync(readsOf(furnishings.directory))) return 0
      const { store, notes, vault } = await parts()
      const [letters] = await Promise.all([store.forget(account), notes.forget(account)])
      await vault.forget(letters)
      return letters.length
    },
    close: async () => void (await Promise.all([opened?.store.close(), opened?.notes.close()])),
  }
}

async function partsOf(path: string, { vault, content, ...rest }: OutboxFurnishings): Promise<OutboxParts> {
  const [
    { createOutboxStore },
    { createReadNotes },
    { createVault },
    { fileLocks },
    { databaseFiles: databases },
    { sha256 },
    { htmlCleaner, htmlReviewer, presenter },
  ] = await Promise.all([
    import('../adapters/outbox/store.ts'),
    import('../adapters/outbox/read-notes.ts'),
    import('../adapters/vault/vault.ts'),
    import('../adapters/lock/file-locks.ts'),
    import('../adapters/sqlite/database-files.ts'),
    import('../adapters/seal/digest.ts'),
    import('../engine/outbox/review.ts'),
  ])
  const review = htmlReviewer(content)
  return {
    ...rest,
    review,
    safeHtml: htmlCleaner(content),
    store: createOutboxStore({ path, locks: fileLocks, databases }),
    notes: createReadNotes({ path: readsOf(rest.directory), databases }),
    vault: createVault({ directory: vault, present: presenter(review) }),
    clock: systemClock,
    digest: sha256,
    newId,
  }
}

function readsOf(directory: string): string {
  return join(directory, 'reads.db')
}

/** Short enough to type, and none that anybody could guess. */
function newId(): string {
  const day = new Date(systemClock.now()).toISOString().slice(2, 10).replaceAll('-', '')
  return `${day}-${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`
}
