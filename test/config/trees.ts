/** Configuration trees on disk, good ones. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export type TreeFiles = Readonly<Record<string, string | Uint8Array>>

export function writeTree(files: TreeFiles): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-tree-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), content)
  }
  return directory
}

/** Small, without problems and without warnings. */
export const SMALL = {
  'accounts.yaml': `accounts:
  - id: work
    host: imap.example.com
    port: 993
    auth:
      type: password
      secret_ref: secret://accounts/work/password
secret_store:
  backend: file_dir
  path: secrets
`,
  'callers.yaml': `callers:
  - id: agent
    policy: reading
    auth:
      type: shared_token
      token_secret_ref: secret://callers/agent/token
`,
  'policies/reading.yaml': `name: reading
accounts:
  work:
    - path: INBOX
      mode: whitelist
      default: NONE
      rules:
        - match: { from_domain: example.com }
          grant: FULL
`,
}

/** What the documentation of the tree's format shows, letter by letter; the second policy is one it only names. */
export const EXAMPLE = {
  'accounts.yaml': `accounts:
  - id: company-mail
    provider: imap-standard       # or "google" for Gmail
    host: imap.example.com
    port: 993
    auth:
      type: password              # or "xoauth2"
      secret_ref: secret://accounts/company-mail/password
    token_cache: memory_only      # or "persist_all" (OAuth only)

  - id: gmail-invoices
    provider: google
    host: imap.gmail.com
    port: 993
    auth:
      type: xoauth2
      secret_ref: secret://accounts/gmail-invoices/refresh_token
      oauth_scope: https://mail.google.com/
    token_cache: persist_all

secret_store:
  backend: file_dir               # or "env_var" or "gpg_file"
  path: /etc/imap-mcp/secrets

audit:
  directory: /var/log/imap-mcp/audit
  hot_days: 90                    # days before gzip compression
  warm_days: 275                  # additional days as .gz
  delete_after_days: 365          # total age before deletion
  external_root_hook: /usr/local/bin/audit-root-notify

wal:
  path: /var/lib/imap-mcp/wal.db
`,
  'callers.yaml': `callers:
  - id: invoice-agent
    policy: invoice-policy
    auth:
      type: shared_token
      token_secret_ref: secret://callers/invoice-agent/token

  - id: overview-bot
    policy: overview-policy
    auth:
      type: stdio_trusted
`,
  'policies/invoice-agent.yaml': `name: invoice-policy
accounts:
  company-mail:
    - path: INBOX/Invoices
      mode: whitelist
      default: NONE
      mark_seen: true
      move_out: true
      rules:
        - match: { from_domain: hornbach.de }
          grant: FULL
        - match: { from_domain: amazon.de }
          grant: FULL

    - path: Archive/Invoices-2026
      mode: whitelist
      default: NONE
      accept_incoming: true
      rules: []

  gmail-invoices:
    - path: Rechnungen
      mode: whitelist
      default: NONE
      mark_seen: true
      move_out: true
      rules:
        - match: { from_domain: hornbach.de }
          grant: FULL
`,
  'policies/overview-bot.yaml': `name: overview-policy
accounts:
  company-mail:
    - path: INBOX
      mode: blacklist
      default: ENVELOPE
      rules:
        - match: { from_domain: bank.example, has_attachment: true }
          cap: COUNT
`,
}
