/** The record of what was done, and its chain. */
import { count } from '../../../core/text/count.ts'
import type { Check } from '../check.ts'
import { broken, type Finding, ok, warning } from '../finding.ts'
import type { AuditLook } from '../world.ts'
import { quoted } from './configuration.ts'

export const auditCheck: Check = {
  name: 'audit',
  looksAt: 'the record of what was done, and its chain',
  patienceMs: 20_000,
  run: async (world, signal) => [findingOf(await world.audit(signal))],
}

function findingOf(look: AuditLook): Finding {
  if (look.kind === 'none') return ok('there are no records yet')
  if (look.kind === 'unfinished') {
    return warning('the record is too long to be verified here', 'run: postern audit verify')
  }
  const { directory } = look
  if (look.kind === 'unreadable') {
    return broken(look.why, `make ${quoted(directory)} yours to read and write, then run: postern audit verify`)
  }
  const { verification } = look
  if (verification.kind === 'broken') {
    const { file, line } = verification
    const cure = `find out who changed it (postern audit verify says what), keep a copy, and move ${quoted(directory)} away: a new chain begins`
    return broken(`the chain is broken: ${file}, line ${line}`, cure)
  }
  return ok(`${count(verification.records, 'record')}, chain intact`)
}
