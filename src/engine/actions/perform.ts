/** The table of actions: one performer per kind, checked for completeness by the compiler. */
import type { ActionKind, ActionOf, ResultOf } from '../../core/action.ts'
import type { Level } from '../../core/policy/level.ts'
import { browse } from './browse.ts'
import { changeLabels } from './change-labels.ts'
import { composeDraft } from './compose-draft.ts'
import { copyMessage } from './copy-message.ts'
import { createDraft } from './create-draft.ts'
import { deleteMessage } from './delete-message.ts'
import { describePolicy } from './describe-policy.ts'
import { findMail } from './find-mail.ts'
import { folderStats } from './folder-stats.ts'
import { identifyCaller } from './identify-caller.ts'
import { listAccounts } from './list-accounts.ts'
import { listFolders } from './list-folders.ts'
import { listLabels } from './list-labels.ts'
import { listMailboxes } from './list-mailboxes.ts'
import { markMany } from './mark-many.ts'
import { markSeen, tagMessage } from './mark-message.ts'
import { moveMessage } from './move-message.ts'
import { readAttachment } from './read-attachment.ts'
import { readMessage } from './read-message.ts'
import { readRaw } from './read-raw.ts'
import { relocateMany } from './relocate-many.ts'
import { searchMessages } from './search-messages.ts'
import { sendMail } from './send-mail.ts'
import { transactionStatus } from './transaction-status.ts'
import { updateFlags } from './update-flags.ts'
import { verifyAccount } from './verify-account.ts'
import type { Perform, Workshop } from './workshop.ts'

const PERFORMERS: { readonly [K in ActionKind]: Perform<K> } = {
  list_accounts: listAccounts,
  verify_account: verifyAccount,
  list_mailboxes: listMailboxes,
  list_folders: listFolders,
  list_labels: listLabels,
  folder_stats: folderStats,
  search: searchMessages,
  browse,
  find_mail: findMail,
  read_message: readMessage,
  read_raw: readRaw,
  read_attachment: readAttachment,
  update_flags: updateFlags,
  mark_seen: markSeen,
  tag_message: tagMessage,
  mark_many: markMany,
  copy_message: copyMessage,
  move_message: moveMessage,
  relocate_many: relocateMany,
  delete_message: deleteMessage,
  create_draft: createDraft,
  compose_draft: composeDraft,
  send_mail: sendMail,
  change_labels: changeLabels,
  describe_policy: describePolicy,
  identify_caller: identifyCaller,
  transaction_status: transactionStatus,
}

export function perform<K extends ActionKind>(
  action: ActionOf<K>,
  workshop: Workshop,
  level: Level,
): Promise<ResultOf<K>> {
  const performer = PERFORMERS[action.kind as K] as Perform<K>
  return performer(action, workshop, level)
}
