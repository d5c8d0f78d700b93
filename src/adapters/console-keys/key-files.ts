/**
 * Keys of the console as files, each under the digest of its secret.
 *
 * INVARIANT: a file appears whole or not at all, and using a link removes its file: the system lets one process do that. What
 * has expired is swept away with the next key that is made.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConsoleKeys } from '../../ports/console-keys.ts'
import { cannotKeep, isMissing } from './failures.ts'

const SECRET_BYTES = 32
const SECRET = /^[A-Za-z0-9_-]{43}$/
const LINK = 'link'
const SESSION = 'session'

/** Within the data directory. */
export function createConsoleKeys({ directory }: { readonly directory: string }): ConsoleKeys {
  const folder = join(directory, 'console')
  const pathOf = (kind: string, secret: string): string => join(folder, `${kind}-${digest(kind, secret)}.json`)

  async function make(kind: string, content: Kept): Promise<string> {
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await sweep(folder, Date.now())
    const path = pathOf(kind, secret)
    await writeFile(`${path}.part`, JSON.stringify(content), { mode: 0o600, flag: 'wx', flush: true })
    await rename(`${path}.part`, path)
    return secret
  }

  return {
    newLink: (expires) => make(LINK, { expires }).catch(unkept),
    async useLink(secret, now) {
      if (!SECRET.test(secret)) return false
      const path = pathOf(LINK, secret)
      const kept = await readKept(path)
      if (kept === undefined) return false
      return (await removed(path)) && now < kept.expires
    },
    newSession: ({ user, expires }) => make(SESSION, { user, expires }).catch(unkept),
    async session(secret, now) {
      if (!SECRET.test(secret)) return undefined
      const kept = await readKept(pathOf(SESSION, secret))
      if (kept?.user === undefined || now >= kept.expires) return undefined
      const { user, expires } = kept
      return { name: digest(SESSION, secret), user, expires, csrf: digest('csrf', secret) }
    },
    async endSession(secret) {
      if (SECRET.test(secret)) await removed(pathOf(SESSION, secret))
    },
  }
}

interface Kept {
  readonly expires: number
  /** Of sessions. */
  readonly user?: string
}

/** A secret is too long to be guessed, so a plain digest gives nothing away; each use of it has one of its own. */
function digest(use: string, secret: string): string {
  return createHash('sha256').update(`postern console ${use} ${secret}`).digest('hex')
}

async function readKept(path: string): Promise<Kept | undefined> {
  try {
    const kept: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isKept(kept) ? kept : undefined
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined
    throw cannotKeep(error)
  }
}

function isKept(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null || !('expires' in value)) return false
  return Number.isFinite(value.expires) && (!('user' in value) || typeof value.user === 'string')
}

/** False where somebody else was faster. */
async function removed(path: string): Promise<boolean> {
  try {
    await unlink(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw cannotKeep(error)
  }
}

async function sweep(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/^(link|session)-[0-9a-f]{64}\.json$/.test(name)) continue
    const kept = await readKept(join(folder, name))
    if (kept !== undefined && kept.expires <= now) await removed(join(folder, name))
  }
}

function unkept(error: unknown): never {
  throw cannotKeep(error)
}
