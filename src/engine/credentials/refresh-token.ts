/**
 * The refresh token of one account, which the server may replace whenever it is used.
 *
 * INVARIANT: read anew from the store for every use, since another process may have replaced it. A new one is durable
 * before anything is done with it, where the store can be written; elsewhere it lives as long as this process.
 */
import type { Log } from '../../ports/log.ts'
import type { SecretStore } from '../../ports/secrets.ts'
import { notKept } from './failures.ts'

export interface RefreshTokenParts {
  readonly account: string
  readonly secretRef: string
  readonly secrets: SecretStore
  readonly log: Log
}

export class RefreshToken {
  readonly #parts: RefreshTokenParts
  /** Newer than what the store holds, and good only as long as the store holds that. */
  #newer: { readonly token: string; readonly than: string } | undefined

  constructor(parts: RefreshTokenParts) {
    this.#parts = parts
  }

  async current(): Promise<string> {
    const stored = await this.stored()
    if (this.#newer?.than !== stored) this.#newer = undefined
    if (this.#newer === undefined) return stored
    if (this.#parts.secrets.writable) return this.#store(this.#newer.token)
    return this.#newer.token
  }

  stored(): Promise<string> {
    return this.#parts.secrets.read(this.#parts.secretRef)
  }

  /** The server gave a new one for `used`. */
  async replace(used: string, token: string): Promise<void> {
    if (token === used) return
    const { secrets, log, account } = this.#parts
    this.#newer = { token, than: await this.stored() }
    if (secrets.writable) {
      await this.#store(token)
      return
    }
    const message = 'the server replaced the refresh token and the secret store is read-only: it is lost when this ends'
    log.warn({ account }, message)
  }

  forgetNewer(): void {
    this.#newer = undefined
  }

  async #store(token: string): Promise<string> {
    const { secrets, secretRef, account } = this.#parts
    await secrets.write(secretRef, token).catch((error: unknown) => {
      throw notKept(account, error)
    })
    this.#newer = undefined
    return token
  }
}
