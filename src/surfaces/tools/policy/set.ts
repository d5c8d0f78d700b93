/** The `policy` tool set: every answer says what was decided, why, and what was left out. */
import type { AnyTool, ToolSet } from '../tool.ts'
import { refuse } from './answer.ts'
import { copy } from './copy.ts'
import { createDraft } from './create-draft.ts'
import { describePolicy, namingOnly } from './describe-policy.ts'
import { fetchAttachment } from './fetch-attachment.ts'
import { fetchBody } from './fetch-body.ts'
import { fetchEnvelope } from './fetch-envelope.ts'
import { fetchHeaders } from './fetch-headers.ts'
import { folderStats } from './folder-stats.ts'
import { getCallerIdentity } from './get-caller-identity.ts'
import { getTransactionStatus } from './get-transaction-status.ts'
import { listAccounts } from './list-accounts.ts'
import { listFolders } from './list-folders.ts'
import { listLabels } from './list-labels.ts'
import { listMessages } from './list-messages.ts'
import { markSeen } from './mark-seen.ts'
import { markTagged } from './mark-tagged.ts'
import { move } from './move.ts'
import { search } from './search.ts'
import { TOOL_NAMES } from './tool-names.ts'

const TOOLS: { readonly [K in (typeof TOOL_NAMES)[number]]: AnyTool } = {
  list_accounts: listAccounts,
  list_folders: listFolders,
  list_labels: listLabels,
  folder_stats: folderStats,
  search,
  list_messages: listMessages,
  fetch_envelope: fetchEnvelope,
  fetch_headers: fetchHeaders,
  fetch_body: fetchBody,
  fetch_attachment: fetchAttachment,
  mark_seen: markSeen,
  mark_tagged: markTagged,
  move,
  copy,
  create_draft: createDraft,
  describe_policy: describePolicy,
  get_caller_identity: getCallerIdentity,
  get_transaction_status: getTransactionStatus,
}

export const policySet: ToolSet = {
  name: 'policy',
  folders: 'paths',
  tools: TOOL_NAMES.map((name) => TOOLS[name]),
  namingOnly,
  refuse,
}
