/**
 * The key of a message, as SQL.
 *
 * INVARIANT: 63 bits: seconds before 2106, then the uid and the folder, the uid counted backwards. Uids that differ by a multiple of
 * 2^23 and have the same second are told apart by the next free key, which is one of the same second: from the first to the
 * last second that a key can tell, it tells exactly which messages are newer. Numbers come into SQL as floating ones, which
 * bit operators take for integers and sums do not.
 */
const SECONDS = 4_294_967_295
const UIDS = 8_388_607
const LAST_LOW = 2_147_483_647

/** Every key of that second or an earlier one is at or behind it. */
export function secondSql(received: string): string {
  return `((${SECONDS} - min(max(${received}, 0), ${SECONDS})) << 31)`
}

/** Whether keys tell exactly which messages came before that moment, and which did not. */
export function isToldByKeys(moment: number): boolean {
  return Number.isInteger(moment) && moment >= 1 && moment <= SECONDS
}

/**
 * Of a message that is filed: `keyHigh` and `keyLow` are bound to it. Counted here and not in SQL, since every message is filed
 * under its key twice, in `message` and in `content`.
 */
export const KEY = '((? << 31) | ?)'

export function keyHigh(received: number): number {
  return SECONDS - Math.min(Math.max(received, 0), SECONDS)
}

export function keyLow(uid: number, folder: number): number {
  return ((UIDS - (uid & UIDS)) << 8) | (folder & 255)
}

/** The one that is tried after so many were taken: those behind it, then those before it. */
export function nextKeyLow(low: number, taken: number): number {
  return low + taken <= LAST_LOW ? low + taken : LAST_LOW - taken
}

/** Of a message in no folder: `folder & 255` is added. */
export function placeSql(received: string, uid: string): string {
  return `(${secondSql(received)} | ((${UIDS} - (${uid} & ${UIDS})) << 8))`
}
