/** Puts a draft into a folder, and says where it is to whoever may know. Nothing is sent. */
import { parseHeader } from '../../core/mime/header.ts'
import { parseStructure } from '../../core/mime/structure.ts'
import { factsOf } from '../../core/policy/facts.ts'
import { atLeast } from '../../core/policy/level.ts'
import type { Placed } from '../../ports/mail-source.ts'
import type { ReadMail } from '../../ports/read-notes.ts'
import type { Account } from '../accounts/accounts.ts'
import type { Workshop } from './workshop.ts'

const FLAGS = ['\\Draft', '\\Seen']

export interface DraftNotes {
  /** What it takes along of other people's mail. */
  readonly taken?: readonly ReadMail[]
  /** The conversation it belongs to, as its provider names it. */
  readonly thread?: string | undefined
}

/** Undefined where the server does not tell, or the caller may not know. */
export async function placeDraft(
  account: Account,
  mailbox: string,
  bytes: Uint8Array,
  workshop: Workshop,
  { taken = [], thread }: DraftNotes = {},
): Promise<Placed | undefined> {
  const { clock, signal, outbox, sendRules, callerId } = workshop
  if (sendRules.allowed) await outbox.noteLeaving(callerId, account.id, taken)
  const received = Math.floor(clock.now() / 1000)
  const message = { bytes, flags: FLAGS, received, ...(thread !== undefined && { thread }) }
  // Asked before: what fails after the draft is placed would look as if it were not.
  const isTold = await mayKnow(account, mailbox, bytes, received, workshop)
  const placed = await account.source.append(mailbox, message, signal)
  return isTold ? placed : undefined
}

/** A uid tells how much has arrived: where hidden mail is concealed it is given only with a message that can be seen. */
async function mayKnow(
  account: Account,
  mailbox: string,
  bytes: Uint8Array,
  received: number,
  { sight, signal }: Workshop,
): Promise<boolean> {
  if (!sight.conceals) return true
  const folder = await sight.folder(account, mailbox, signal)
  const evidence = {
    size: bytes.length,
    received,
    flags: FLAGS,
    header: parseHeader(bytes),
    structure: parseStructure(bytes).root,
  }
  const { level } =
    folder.uniform ?? folder.verdict(factsOf(evidence, folder.needs, account.authservId), sight.nowSeconds)
  return atLeast(level, 'METADATA')
}
