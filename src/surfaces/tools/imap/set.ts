/** The `imap` tool set: ten tools over message ids, an envelope, and three resources. */
import type { ToolSet } from '../tool.ts'
import { imapCopyMessage } from './copy-message.ts'
import { imapDeleteMessage } from './delete-message.ts'
import { refuse } from './envelope.ts'
import { imapGetMessage } from './get-message.ts'
import { imapGetMessageRaw } from './get-message-raw.ts'
import { imapListAccounts } from './list-accounts.ts'
import { imapListMailboxes } from './list-mailboxes.ts'
import { imapMoveMessage } from './move-message.ts'
import { namingOnly } from './next-action.ts'
import { imapResources } from './resources.ts'
import { imapSearchMessages } from './search-messages.ts'
import { imapUpdateMessageFlags } from './update-message-flags.ts'
import { imapVerifyAccount } from './verify-account.ts'

export const imapSet: ToolSet = {
  name: 'imap',
  folders: 'names',
  tools: [
    imapListAccounts,
    imapVerifyAccount,
    imapListMailboxes,
    imapSearchMessages,
    imapGetMessage,
    imapGetMessageRaw,
    imapUpdateMessageFlags,
    imapCopyMessage,
    imapMoveMessage,
    imapDeleteMessage,
  ],
  resources: imapResources,
  namingOnly,
  refuse,
}
