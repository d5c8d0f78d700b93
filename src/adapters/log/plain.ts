/**
 * Turns whatever is logged into plain JSON values without secrets.
 *
 * INVARIANT: always ends, for cycles, depth, huge values and getters that throw; bytes are counted, not shown; secrets are
 * masked before anything is cut short.
 */
import { isSecretKey, MASK, type Secrets } from './secrets.ts'

const DEEPEST = 8
const LONGEST_TEXT = 16_384
const MOST_ITEMS = 200
// Depth alone does not bound a graph in which everything knows everything, such as sockets.
const MOST_VALUES = 2000

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

export function plain(value: unknown, secrets: Secrets): Json {
  return new Walk(secrets).value(value, 0)
}

class Walk {
  readonly #secrets: Secrets
  #left = MOST_VALUES

  constructor(secrets: Secrets) {
    this.#secrets = secrets
  }

  value(value: unknown, depth: number): Json {
    this.#left -= 1
    switch (typeof value) {
      case 'string':
        return this.#text(value)
      case 'number':
      case 'bigint':
        return this.#number(value)
      case 'boolean':
        return value
      case 'object':
        return value === null ? null : this.#object(value, depth)
      default:
        return `[${typeof value}]`
    }
  }

  #text(value: string): string {
    const masked = this.#secrets.mask(value)
    return masked.length > LONGEST_TEXT ? `${masked.slice(0, LONGEST_TEXT)}… (${masked.length} characters)` : masked
  }

  /** A secret of digits may come as a number. */
  #number(value: number | bigint): Json {
    const masked = this.#secrets.mask(String(value))
    return masked === String(value) && typeof value === 'number' && Number.isFinite(value) ? value : masked
  }

  #object(value: object, depth: number): Json {
    if (depth >= DEEPEST || this.#left <= 0) return '[more]'
    if (value instanceof Error) return this.#error(value, depth)
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[no date]' : value.toISOString()
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
    if (value instanceof Map) return this.#fields(Object.fromEntries(value), depth)
    if (Array.isArray(value) || value instanceof Set) return this.#items([...value], depth)
    return this.#fields(value, depth)
  }

  #items(items: readonly unknown[], depth: number): Json[] {
    return items.slice(0, MOST_ITEMS).map((item) => this.value(item, depth + 1))
  }

  #fields(value: object, depth: number): { [key: string]: Json } {
    const result: { [key: string]: Json } = {}
    for (const key of Object.keys(value).slice(0, MOST_ITEMS)) {
      const field = valueAt(value, key)
      if (field !== undefined) result[this.#text(key)] = isSecretKey(key) ? MASK : this.value(field, depth + 1)
    }
    return result
  }

  /** The name, the words and the stack, what a library put on it, and what caused it. */
  #error(value: Error, depth: number): Json {
    const { name, message, stack, cause } = value
    return {
      ...this.#fields(value, depth),
      name: this.#text(String(name)),
      message: this.#text(String(message)),
      ...(typeof stack === 'string' ? { stack: this.#text(stack) } : {}),
      ...(cause === undefined ? {} : { cause: this.value(cause, depth + 1) }),
      ...(value instanceof AggregateError ? { errors: this.#items(value.errors, depth) } : {}),
    }
  }
}

function valueAt(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key)
  } catch {
    return '[unreadable]'
  }
}
