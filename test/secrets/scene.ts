/** What the tests of secret stores share: a directory of their own, and what every failure must keep to itself. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inspect } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { Failure, type FailureCode } from '../../src/core/failure.ts'

export const SECRET = 'correct-horse-battery'

export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sec-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export function put(root: string, path: string, content: string | Uint8Array, mode = 0o600): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content, { mode })
  return file
}

/** The failure, checked for what it must not say: no secret, wherever one looks. */
export async function failureOf(work: Promise<unknown>, code: FailureCode): Promise<Failure> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Failure)) throw new Error(`expected a failure, got ${inspect(error)}`)
  expect(error.code).toBe(code)
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(SECRET)
  return error
}
