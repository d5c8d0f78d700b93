/** The beginning of a message exactly as it is stored. The source bounds it before anything is downloaded. */
import type { Perform } from './workshop.ts'

export const readRaw: Perform<'read_raw'> = ({ message, maxBytes }, { accounts, signal }) =>
  accounts.get(message.account).source.raw(message, message.uid, maxBytes, signal)
