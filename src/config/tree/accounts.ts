/** accounts.yaml: the accounts, and the settings that are not one caller's. */
import { type ReadAccount, readAccount } from './account.ts'
import { readAttachments } from './attachments.ts'
import { readAudit } from './audit.ts'
import { type Fields, fieldsOf } from './fields.ts'
import type { Node } from './node.ts'
import type { Findings, Place } from './problems.ts'
import { readSecretStore } from './secret-store.ts'
import { readPath, type Surroundings } from './surroundings.ts'
import type { AttachmentSettings, AuditSettings, SecretStoreSettings } from './tree.ts'

export interface AccountsFile {
  readonly at: Place
  readonly accounts: readonly ReadAccount[]
  readonly secretStore: SecretStoreSettings | undefined
  readonly audit: AuditSettings
  readonly walPath: string | undefined
  readonly connections: number | undefined
  readonly vault: string | undefined
  readonly attachments: AttachmentSettings
}

export const FILE_KEYS = ['accounts', 'secret_store', 'audit', 'wal', 'store', 'limits', 'vault', 'attachments']
const MOST_CONNECTIONS = 100

export function readAccountsFile(root: Node, around: Surroundings, findings: Findings): AccountsFile | undefined {
  const fields = fieldsOf(root, 'accounts.yaml', FILE_KEYS, findings)
  if (fields === undefined) return undefined
  checkStore(fields)
  const wal = fields.fields('wal', 'wal', ['path'])
  return {
    at: fields.at,
    accounts: readAccounts(fields, around, findings),
    secretStore: readSecretStore(fields, around),
    audit: readAudit(fields, around),
    walPath: wal === undefined ? undefined : readPath(wal, 'path', around),
    connections: fields.fields('limits', 'limits', ['connections'])?.whole('connections', 1, MOST_CONNECTIONS),
    vault: readPath(fields, 'vault', around),
    attachments: readAttachments(fields, around),
  }
}

function readAccounts(fields: Fields, around: Surroundings, findings: Findings): ReadAccount[] {
  fields.require('accounts')
  const items = fields.items('accounts')
  if (items?.length === 0) fields.problem('accounts', 'there is no account; write at least one')
  return (items ?? []).flatMap((node) => readAccount(node, around, findings) ?? [])
}

/** Never quoted: the address of a database may hold its password. */
function checkStore(fields: Fields): void {
  const store = fields.text('store')
  if (store === undefined || store === 'sqlite') return
  fields.problem(
    'store',
    'a store other than sqlite is not available yet; write store: sqlite instead, or leave it out',
  )
}
