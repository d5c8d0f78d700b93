/** Everything that a hijacked agent has said to its tools, and what holds of all of it. */
import { expect } from 'vitest'
import type { Arguments } from '../imap/postern.ts'
import { formsOf } from '../imap/secret-forms.ts'
import type { House } from './scene.ts'

export interface Said {
  readonly caller: string
  readonly tool: string
  readonly args: Arguments
  readonly text: string
  readonly isRefusal: boolean
  /** Of the refusal. */
  readonly code: string | undefined
}

export const WAITING = /Waiting: vault\/Pending_Approval\/(\S+)\.md\.$/

/** The id of a letter that waits. */
export function idIn({ text }: Pick<Said, 'text'>): string {
  const id = WAITING.exec(text)?.[1]
  if (id === undefined) throw new Error(`it does not wait: ${text}`)
  return id
}

/** Every call that was understood is on record, and the record is whole. */
export async function expectOnRecord(house: House): Promise<void> {
  const records = (await house.records()).filter(({ result }) => result !== 'INTENT')
  for (const [key, calls] of Map.groupBy(house.ledger, keyOf)) {
    const count = records.filter((record) => keyOf({ caller: record.caller_id, tool: record.tool }) === key).length
    // What does not even have the form of a call may be turned away at the door.
    const understood = calls.filter(({ code }) => code !== 'invalid_input').length
    expect(count, key).toBeGreaterThanOrEqual(understood)
    expect(count, key).toBeLessThanOrEqual(calls.length)
  }
  expect(await house.postern('audit', 'verify')).toMatchObject({ code: 0 })
}

function keyOf({ caller, tool }: Pick<Said, 'caller' | 'tool'>): string {
  return `${caller} ${tool}`
}

/** No refusal holds a password, what stands in mail, or what the agent wanted to smuggle out. */
export function expectNothingTold(house: House, secrets: readonly string[]): void {
  const known = [...Object.values(house.office.secrets).flatMap((secret) => formsOf(secret, '')), ...secrets]
  const refusals = house.ledger.filter(({ isRefusal }) => isRefusal)
  for (const { tool, text } of refusals) {
    const told = known.filter((secret) => secret.length >= 8 && text.includes(secret))
    expect(told, `${tool}: ${text}`).toEqual([])
  }
  // What a person is shown of a letter lies in the vault, and the agent is not told where on this machine.
  expect(refusals.filter(({ text }) => text.includes(house.directory))).toEqual([])
}
