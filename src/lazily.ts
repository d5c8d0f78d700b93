/**
 * A stand-in that loads the real thing with its first use.
 *
 * INVARIANT: closing what was never used loads nothing. Every method must be asynchronous.
 */
export function lazily<T extends object>(load: () => Promise<T>): T {
  let loading: Promise<T> | undefined
  return new Proxy({} as T, {
    get(_target, name) {
      // A stand-in that looked like a promise could not be returned from an async function.
      if (name === 'then') return undefined
      return async (...args: unknown[]) => {
        if (name === 'close' && loading === undefined) return undefined
        loading ??= load().catch((error: unknown) => {
          // What could not be loaded now may be there the next time.
          loading = undefined
          throw error
        })
        const real = await loading
        const method = Reflect.get(real, name) as (...args: unknown[]) => unknown
        return method.apply(real, args)
      }
    },
  })
}
