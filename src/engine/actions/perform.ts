/** The table of actions: one performer per kind, checked for completeness by the compiler. */
import type { ActionKind, ActionOf, ResultOf } from '../../core/action.ts'
import { copyMessage } from './copy-message.ts'
import { deleteMessage } from './delete-message.ts'
import { listAccounts } from './list-accounts.ts'
import { listMailboxes } from './list-mailboxes.ts'
import { moveMessage } from './move-message.ts'
import { readAttachment } from './read-attachment.ts'
import { readMessage } from './read-message.ts'
import { readRaw } from './read-raw.ts'
import { searchMessages } from './search-messages.ts'
import { updateFlags } from './update-flags.ts'
import { verifyAccount } from './verify-account.ts'
import type { Perform, Workshop } from './workshop.ts'

const PERFORMERS: { readonly [K in ActionKind]: Perform<K> } = {
  list_accounts: listAccounts,
  verify_account: verifyAccount,
  list_mailboxes: listMailboxes,
  search: searchMessages,
  read_message: readMessage,
  read_raw: readRaw,
  read_attachment: readAttachment,
  update_flags: updateFlags,
  copy_message: copyMessage,
  move_message: moveMessage,
  delete_message: deleteMessage,
}

export function perform<K extends ActionKind>(action: ActionOf<K>, workshop: Workshop): Promise<ResultOf<K>> {
  const performer = PERFORMERS[action.kind as K] as Perform<K>
  return performer(action, workshop)
}
