/**
 * The key of a message, as SQL.
 *
 * INVARIANT: 63 bits: seconds before 2106, then the uid and the folder, the uid counted backwards. Uids that differ by a multiple of
 * 2^23 and have the same second are told apart by the next free key. Numbers come into SQL as floating ones, which bit
 * operators take for integers and sums do not.
 */
const SECONDS = 4_294_967_295
const UIDS = 8_388_607

/** Every key of that second or an earlier one is at or behind it. */
export function secondSql(received: string): string {
  return `((${SECONDS} - min(max(${received}, 0), ${SECONDS})) << 31)`
}

/** Of a message in no folder: `folder & 255` is added. */
export function placeSql(received: string, uid: string): string {
  return `(${secondSql(received)} | ((${UIDS} - (${uid} & ${UIDS})) << 8))`
}
