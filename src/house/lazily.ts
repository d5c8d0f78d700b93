/**
 * Things that are loaded with their first use.
 *
 * INVARIANT: closing what was never used loads nothing. What could not be loaded now may be there the next time.
 */

/** Loads once, however often it is asked for. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

/** A stand-in for the real thing. Every method must be asynchronous. */
export function lazily<T extends object>(load: () => Promise<T>): T {
  let used = false
  const real = once(load)
  return new Proxy({} as T, {
    get(_target, name) {
      // A stand-in that looked like a promise could not be returned from an async function.
      if (name === 'then') return undefined
      return async (...args: unknown[]) => {
        if (name === 'close' && !used) return undefined
        used = true
        const thing = await real()
        const method = Reflect.get(thing, name) as (...args: unknown[]) => unknown
        return method.apply(thing, args)
      }
    },
  })
}
