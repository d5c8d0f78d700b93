/** What `postern check` says where no tree is used: what a server would offer with the accounts of the environment. */
import { count } from '../../core/text/count.ts'

export interface CheckedEnvironment {
  readonly accounts: readonly EnvironmentEntry[]
  /** The tool sets that are offered where none are named. */
  readonly tools: readonly string[]
  readonly writes: boolean
  /** Letters that were approved are only noted. */
  readonly devMode: boolean
  /** Whether approval files that are written by hand count for nothing. */
  readonly requireDigest: boolean
  /** The user's own tree, which a server passes over. */
  readonly unusedTree?: string
  readonly warnings: readonly string[]
}

export interface EnvironmentEntry {
  readonly id: string
  /** Absent for one that was imported. */
  readonly host?: string
  /** Absent where nothing can be sent from it. */
  readonly smtpHost?: string
}

export function environmentReport(checked: CheckedEnvironment): string {
  const { accounts, tools, writes, unusedTree } = checked
  const width = Math.max(...accounts.map(({ id }) => id.length))
  const isNamed = accounts.some(({ host }) => host !== undefined)
  const source = isNamed ? 'the environment (MAIL_IMAP_* variables)' : 'what was imported'
  const tree = unusedTree === undefined ? 'there is no configuration tree' : `not from the tree in ${unusedTree}`
  const lines = [
    `ok: a server started here has ${count(accounts.length, 'account')}, from ${source}; ${tree}`,
    '',
    ...accounts.map((account) => `  ${account.id.padEnd(width)}  ${placeOf(account)}`),
    '',
    'Whoever starts it counts as the owner of this mail: there are no callers and no policies, and no folder is hidden.',
    `  tools: ${tools.join(', ')}`,
    `  ${writingText(writes)}`,
    `  ${sendingText(checked)}`,
  ]
  return `${lines.join('\n')}\n`
}

function placeOf({ host, smtpHost }: EnvironmentEntry): string {
  if (host === undefined) return 'imported'
  return smtpHost === undefined ? host : `${host}, sends through ${smtpHost}`
}

function writingText(writes: boolean): string {
  if (writes) return 'writing is on: mail can be moved, flagged and deleted'
  return 'writing is off: nothing in a mailbox can be changed; MAIL_IMAP_WRITE_ENABLED=true turns it on'
}

function sendingText({ accounts, writes, devMode, requireDigest }: CheckedEnvironment): string {
  if (accounts.every(({ smtpHost }) => smtpHost === undefined)) {
    return 'sending is off: no account has a server for it; MAIL_IMAP_<ACCOUNT>_SMTP_HOST names one'
  }
  if (!writes) return 'sending is off, as writing is'
  if (devMode) return 'sending is off: letters are checked and noted, and none leaves; DEV_MODE=false turns it on'
  const byHand = requireDigest
    ? 'approval files written by hand do not count'
    : 'an approval file written by hand counts too, unless POSTERN_REQUIRE_DIGEST=true'
  return `sending is on: every letter waits until a person has approved it; ${byHand}`
}
