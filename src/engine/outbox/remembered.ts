/** What this process has noted lately: it need not be noted again for a while. */
import type { ReadMail } from '../../ports/read-notes.ts'
import { NOTED_AGAIN_MS } from './flow.ts'

const MOST = 10_000

export class Remembered {
  readonly #when = new Map<string, number>()

  fresh(caller: string, read: readonly ReadMail[], now: number): readonly ReadMail[] {
    return read.filter((one) => {
      const noted = this.#when.get(keyOf(caller, one))
      return noted === undefined || now < noted || now - noted >= NOTED_AGAIN_MS
    })
  }

  keep(caller: string, read: readonly ReadMail[], now: number): void {
    if (this.#when.size + read.length > MOST) this.#when.clear()
    for (const one of read) this.#when.set(keyOf(caller, one), now)
  }
}

function keyOf(caller: string, { account, readers }: ReadMail): string {
  return JSON.stringify([caller, account, readers])
}
