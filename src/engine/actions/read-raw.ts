/** The beginning of a message exactly as it is stored. The source bounds it before anything is downloaded. */
import { parseHeader } from '../../core/mime/header.ts'
import type { Perform } from './workshop.ts'

export const readRaw: Perform<'read_raw'> = async ({ message, maxBytes }, { accounts, reading, signal }) => {
  const account = accounts.get(message.account)
  const raw = await account.source.raw(message, message.uid, maxBytes, signal)
  reading.message(account, parseHeader(raw.bytes))
  return raw
}
