/**
 * Keeps V8's heap from growing with what is garbage already. The limits are no options of a running process, the growth is.
 * Cached code stays valid.
 */

/**
 * The part for new objects stays at the size it has, 16 MB. Left alone it grows to 128 MB and more while large messages pass
 * through, all of it garbage that nobody collects in time; collecting a smaller one more often costs nothing that can be
 * measured here.
 */
export function keepYoungGenerationSmall(): void {
  setFlag('--semi-space-growth-factor=1')
}

/** Likewise the rest: for whoever fills a mirror, where the garbage of fifty messages would else wait for that of thousands. */
export function keepHeapSmall(): void {
  keepYoungGenerationSmall()
  setFlag('--heap-growing-percent=25')
}

function setFlag(flag: string): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(flag)
}
