/**
 * Keeps V8's heap from growing with what is garbage already. The limits are no options of a running process, the growth is.
 * Cached code stays valid.
 */

/** Of the part for new objects, both halves together; what is collected much more often than that is mostly still in use. */
const YOUNG_BYTES = 8_000_000
/** One half of that of a worker, which begins with it. Its own limits say how large it may become. */
const WORKERS_HALF_MB = 2

let isWatched = false

/**
 * The part for new objects grows no further than it is of use. Left alone it grows to 64 MB and more while large messages pass
 * through, all of it garbage that nobody collects in time.
 */
export function keepYoungGenerationSmall(): void {
  if (isWatched) return
  isWatched = true
  setFlag(`--min-semi-space-size=${WORKERS_HALF_MB}`)
  const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks')
  const collections = new PerformanceObserver(() => {
    if (youngBytes() < YOUNG_BYTES) return
    collections.disconnect()
    setFlag('--semi-space-growth-factor=1')
  })
  collections.observe({ entryTypes: ['gc'] })
}

/** Beyond what was in use when it was last collected. Less means less memory, and twice as much collecting at 25. */
const GROWN_PERCENT = 100

/** Likewise the rest: for whoever fills a mirror, where the garbage of fifty messages would else wait for that of thousands. */
export function keepHeapSmall(): void {
  keepYoungGenerationSmall()
  setFlag(`--heap-growing-percent=${GROWN_PERCENT}`)
}

function youngBytes(): number {
  const spaces = process.getBuiltinModule('node:v8').getHeapSpaceStatistics()
  return spaces.find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
}

function setFlag(flag: string): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(flag)
}
