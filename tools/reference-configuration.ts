/** Every key of a configuration tree and every variable, as the readers of the program know them. */

import { VARIABLES } from '../src/config/strays.ts'
import { ACCOUNT_KEYS, AUTH_KEYS } from '../src/config/tree/account.ts'
import { FILE_KEYS } from '../src/config/tree/accounts.ts'
import { ATTACHMENT_KEYS } from '../src/config/tree/attachments.ts'
import { AUDIT_KEYS } from '../src/config/tree/audit.ts'
import { CALLER_KEYS, CONTENT_KEYS } from '../src/config/tree/callers.ts'
import { FOLDER_KEYS } from '../src/config/tree/folders.ts'
import { POLICY_KEYS } from '../src/config/tree/policies.ts'
import { APPROVAL_KEYS, PENDING_KEYS, SEND_KEYS } from '../src/config/tree/sending.ts'
import { SMTP_KEYS } from '../src/config/tree/smtp.ts'
import { PREDICATE_NAMES } from '../src/core/policy/predicates.ts'

const MAPPINGS: readonly (readonly [string, readonly string[]])[] = [
  ['accounts.yaml', FILE_KEYS],
  ['An account', ACCOUNT_KEYS],
  ['`auth` of an account', AUTH_KEYS],
  ['`smtp` of an account', SMTP_KEYS],
  ['`audit`', AUDIT_KEYS],
  ['`attachments`', ATTACHMENT_KEYS],
  ['A caller', CALLER_KEYS],
  ['`content` of a caller', CONTENT_KEYS],
  ['A policy', POLICY_KEYS],
  ['`send` of a policy', SEND_KEYS],
  ['`pending_limit` of `send`', PENDING_KEYS],
  ['`approvals` of a policy', APPROVAL_KEYS],
  ['A folder of a policy', FOLDER_KEYS],
  ['`match` of a rule', PREDICATE_NAMES],
]

export function configurationPage(): string {
  const sections = MAPPINGS.map(([what, keys]) => `## ${what}\n\n${listed(keys)}\n`)
  return `# Keys and variables

What each is for stands in [configuration.md](../configuration.md) and [policy.md](../policy.md). Anything else in a tree is refused, with where it stands.

${sections.join('\n')}
## Variables

Those of accounts begin with \`MAIL_IMAP_\` and the account's name.

${listed(VARIABLES)}
`
}

function listed(names: readonly string[]): string {
  return names.map((name) => `- \`${name}\``).join('\n')
}
