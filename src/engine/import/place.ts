/** Where an imported message belongs: one or more mailboxes, its flags and the time it arrived. */
import { parseDate } from '../../core/mime/date.ts'
import { allFields, firstField, type HeaderField, parseHeader } from '../../core/mime/header.ts'
import type { ArchivedMessage } from '../../ports/mail-archive.ts'
import { readGmailLabels } from './gmail-labels.ts'
import { type Place, properMailbox } from './mailbox-place.ts'
import { isExpunged, notedFlags } from './noted-flags.ts'

export interface Placement {
  readonly places: readonly Place[]
  readonly flags: readonly string[]
  /** Seconds since 1970. */
  readonly received: number
}

/** Undefined for a message that its owner had deleted, and that only waits in the file for being cleared away. */
export function placeMessage(message: ArchivedMessage, into: string | undefined): Placement | undefined {
  const header = parseHeader(message.bytes)
  if (isExpunged(header)) return undefined
  const received = message.received ?? headerTime(header) ?? message.modified
  const labels = firstField(header, 'x-gmail-labels')
  const { places, flags } =
    labels === undefined
      ? { places: [properMailbox(message.mailbox)], flags: message.flags ?? notedFlags(header) }
      : readGmailLabels(labels)
  return { places: into === undefined ? places : [properMailbox(into)], flags, received }
}

/** When the last server took it, else when it was written. */
function headerTime(header: readonly HeaderField[]): number | undefined {
  const [received] = allFields(header, 'received')
  const arrived = received === undefined ? undefined : parseDate(received.slice(received.lastIndexOf(';') + 1))
  const ms = arrived ?? parseDate(firstField(header, 'date') ?? '')
  return ms === undefined || ms < 0 ? undefined : Math.floor(ms / 1000)
}
