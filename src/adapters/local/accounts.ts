/** Which local accounts there are: one database each, named after its account. Loads no database to find out. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../core/failure.ts'

const NAME = /^([a-z0-9_-]{1,64})\.db$/

export function localAccounts(directory: string): string[] {
  try {
    return readdirSync(directory)
      .map((file) => NAME.exec(file)?.[1])
      .filter((id) => id !== undefined)
      .sort()
  } catch {
    return []
  }
}

export function localDatabase(directory: string, account: string): string {
  return join(directory, `${account}.db`)
}

/** An id that is also the name of a file, on every file system the same. */
export function accountId(text: string): string {
  if (NAME.test(`${text}.db`)) return text
  throw new Failure('invalid_input', 'an account id has 1 to 64 lower-case letters, digits, _ or -')
}
