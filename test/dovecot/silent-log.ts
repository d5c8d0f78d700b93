import type { Log } from '../../src/ports/log.ts'

const drop = (): void => undefined

/** For tests that do not look at the log. */
export const silentLog: Log = { debug: drop, info: drop, warn: drop, error: drop }
