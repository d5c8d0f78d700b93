/** Puts a draft that the caller wrote into a folder. Nothing is sent. */

import { parseHeader } from '../../core/mime/header.ts'
import { parseStructure } from '../../core/mime/structure.ts'
import { factsOf } from '../../core/policy/facts.ts'
import { atLeast } from '../../core/policy/level.ts'
import type { Account } from '../accounts/accounts.ts'
import type { Perform, Workshop } from './workshop.ts'

const FLAGS = ['\\Draft', '\\Seen']

export const createDraft: Perform<'create_draft'> = async ({ account, mailbox, bytes }, workshop) => {
  const { accounts, clock, signal } = workshop
  const at = accounts.get(account)
  const received = Math.floor(clock.now() / 1000)
  const placed = await at.source.append(mailbox, { bytes, flags: FLAGS, received }, signal)
  const told = placed !== undefined && (await mayKnow(at, mailbox, bytes, received, workshop))
  return { uid: told ? placed.uid : undefined, uidvalidity: told ? placed.uidvalidity : undefined }
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
