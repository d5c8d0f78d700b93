/** isync's `mbsync`, pulling one mailbox into a Maildir. */
import { strictEqual } from 'node:assert'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MESSAGES } from './mirror-mail.ts'
import { type Ended, isInstalled, runToEnd } from './processes.ts'
import type { Login } from './servers.ts'

export interface Mbsync {
  /** The Maildir that it fills. */
  readonly maildir: string
  /** Rejects where it ends with another number of messages than there are. */
  pull(): Promise<Ended>
}

export function hasMbsync(): boolean {
  return isInstalled('mbsync', '--version')
}

/** In a directory of its own, which is made. `port` may be changed by making another in the same one. */
export function mbsync(directory: string, { port, user, password }: Login, fsync: boolean): Mbsync {
  const maildir = join(directory, 'mail')
  mkdirSync(maildir, { recursive: true })
  const config = join(directory, 'mbsyncrc')
  const settings = [
    `FSync ${fsync ? 'yes' : 'no'}`,
    ...['IMAPAccount bench', 'Host 127.0.0.1', `Port ${port}`, `User ${user}`, `Pass ${password}`, 'SSLType None', ''],
    ...['IMAPStore far', 'Account bench', ''],
    ...['MaildirStore near', `Path ${maildir}/`, `Inbox ${maildir}/INBOX`, ''],
    ...['Channel pull', 'Far :far:', 'Near :near:', 'Patterns INBOX', 'Create Near', 'Sync Pull', 'SyncState *', ''],
  ]
  writeFileSync(config, settings.join('\n'), { mode: 0o600 })
  const inbox = join(maildir, 'INBOX')
  return {
    maildir: inbox,
    async pull() {
      const ended = await runToEnd({ command: 'mbsync', args: ['-c', config, 'pull'], env: { HOME: directory } })
      strictEqual(
        ['cur', 'new'].reduce((sum, name) => sum + readdirSync(join(inbox, name)).length, 0),
        MESSAGES,
      )
      return ended
    },
  }
}
