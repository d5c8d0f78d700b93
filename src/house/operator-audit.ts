/** The commands about the record: where it lies, and with which key it is proved. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../adapters/clock/system-clock.ts'
import { configDirectory, dataDirectory, ownConfigDirectory } from '../config/directories.ts'
import { loadTree } from '../config/tree/load.ts'
import type { Commands } from '../surfaces/cli/program.ts'
import { liesAt } from './lies-at.ts'
import type { OperatorParts } from './operator.ts'

export function auditCommands(parts: OperatorParts): Pick<Commands, 'verifyAudit' | 'showAudit'> {
  const { terminal } = parts
  const directory = dataDirectory(parts.env, parts.platform)
  return {
    async verifyAudit(choice) {
      const { verifyAudit } = await import('../surfaces/cli/audit-verify.ts')
      const { verifyAuditDirectory } = await import('../adapters/audit/verify.ts')
      const ownDirectory = auditDirectory(choice.config, parts)
      // Somebody else's record was signed with somebody else's key, which lies beside it.
      const own = choice.directory === undefined ? { keyDirectory: directory } : {}
      const verify: typeof verifyAuditDirectory = (at, options) => verifyAuditDirectory(at, { ...own, ...options })
      const hasKey = (): boolean => existsSync(join(directory, 'audit.pub'))
      return verifyAudit(choice, { verify, ownDirectory, hasKey, terminal })
    },
    async showAudit(choice) {
      const { showAudit } = await import('../surfaces/cli/audit-show.ts')
      const { readAuditRecords } = await import('../adapters/audit/read-records.ts')
      const ownDirectory = auditDirectory(choice.config, parts)
      const { print } = parts
      const hasOwn = (): boolean => liesAt(ownDirectory)
      const now = (): number => systemClock.now()
      return showAudit(choice, { read: readAuditRecords, ownDirectory, hasOwn, terminal, print, now })
    },
  }
}

/** Where a configuration keeps its record; without one, the place for accounts of the environment. */
function auditDirectory(config: string | undefined, parts: OperatorParts): string {
  const { env, platform } = parts
  const directory = dataDirectory(env, platform)
  const found = configDirectory(env, config) ?? ownTree(parts)
  return found === undefined ? join(directory, 'audit') : loadTree(found.directory, env, directory).audit.directory
}

/** As a server would: the user's own tree counts only where the environment names no account. */
function ownTree({ env, platform }: OperatorParts): ReturnType<typeof ownConfigDirectory> {
  const named = Object.keys(env).some((name) => /^MAIL_IMAP_.+_HOST$/.test(name))
  return named ? undefined : ownConfigDirectory(env, platform)
}
