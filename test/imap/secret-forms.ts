/**
 * The canary of the whole suite: whatever a test did, its passwords and tokens must not have come out again.
 *
 * Every Postern that a test starts runs with its log at its most talkative and is looked at when it is closed.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'

type Variables = Readonly<Record<string, string>>

export interface Output {
  readonly stdout: string
  readonly stderr: string
}

/** Shorter ones stand in other words, too. */
const SHORTEST = 8

/** Every form in which a secret may travel. */
export function formsOf(secret: string, user: string): string[] {
  const bytes = Buffer.from(secret)
  // Base64 of a text that holds the secret holds one of three forms of it, by where it begins; the ends are its neighbours'.
  const inside = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  )
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll('\\', '\\\\').replaceAll('"', '\\"'),
    encodeURIComponent(secret),
    bytes.toString('hex'),
    bytes.toString('latin1'),
    Buffer.from(`\0${user}\0${secret}`).toString('base64'),
    ...inside,
  ]
}

export async function expectNoSecret(env: Variables, output: Output, dataDir: string): Promise<void> {
  const texts = [output.stdout, output.stderr, ...(await filesIn(dataDir))]
  for (const [name, secret] of Object.entries(env).filter(([variable]) => /_(PASS|TOKEN)$/.test(variable))) {
    if (secret.length < SHORTEST) continue
    const user = env[name.replace(/_PASS$/, '_USER')] ?? ''
    for (const form of formsOf(secret, user)) {
      expect(
        texts.some((text) => text.includes(form)),
        `${name} came out`,
      ).toBe(false)
    }
  }
}

export async function filesIn(directory: string): Promise<string[]> {
  const files = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  // A lock is empty; to look into one that is held by us would be to lose it.
  const kept = files.filter((file) => file.isFile() && !file.name.endsWith('.lease'))
  return Promise.all(kept.map((file) => readFile(join(file.parentPath, file.name), 'latin1')))
}
