/** `postern audit verify`: says whether the record is whole, and if not, where it first is not. */
import type { Broken, Intact, Problem, Verification } from '../../core/audit/verify.ts'
import { Failure } from '../../core/failure.ts'
import type { AuditVerifyChoice } from './choices.ts'
import type { Terminal } from './program.ts'

const WHY: Readonly<Record<Problem, string>> = {
  missing_newline: 'the line has no end: it was cut off while it was written, or later',
  bad_json: 'the line is not JSON',
  not_a_record: 'the line is not an audit record',
  not_canonical: 'the line is not written the way Postern writes it',
  wrong_seq: 'its number is not the next one: a record before it is missing, or one was put in',
  wrong_prev_hash: 'its prev_hash is not the hash of the record before it',
  wrong_prev_eof_hash: 'its prev_eof_hash does not belong there',
  wrong_final_hash: 'its final_hash is not the hash of the record before it',
  altered: 'it is not what the record after it was chained to',
  after_eof_day: 'it comes after the end of its day',
  no_eof_day: 'the file stops before its eof_day record, though a later file exists',
  wrong_day_order: 'the files are not in the order of their days',
  missing_file: 'the file that it follows is missing',
}

export interface AuditVerifyParts {
  verify(directory: string): Promise<Verification>
  /** Where this installation keeps its record. */
  readonly ownDirectory: string
  readonly terminal: Terminal
}

export async function verifyAudit(choice: AuditVerifyChoice, parts: AuditVerifyParts): Promise<number> {
  const { terminal, ownDirectory } = parts
  const directory = choice.directory ?? ownDirectory
  try {
    const verification = await parts.verify(directory)
    if (verification.kind === 'broken') {
      terminal.print(`${describeBroken(verification)}\n`)
      return 1
    }
    if (verification.records > 0) {
      terminal.print(`${describeIntact(verification)}\n`)
      return 0
    }
    terminal.complain(`postern: there is no record in ${directory}: no *.jsonl file with a line in it\n`)
    return 1
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    terminal.complain(`postern: ${error.message}: ${directory}\n`)
    return 1
  }
}

function describeIntact(intact: Intact): string {
  const { records, files, firstDay, lastDay, fromTheBeginning, tornTails, missingFiles } = intact
  const lines = [
    `ok: ${count(records, 'record')} in ${count(files, 'file')}, chain intact from ${firstDay} to ${lastDay}`,
    fromTheBeginning ? '' : 'note: it does not begin with the first record ever: older files are not here',
    missingFiles === 0
      ? ''
      : `note: ${count(missingFiles, 'record')} of a day without a file: nothing to record, or removed`,
    tornTails === 0 ? '' : `note: ${count(tornTails, 'record')} of an incomplete last line, kept in a .torn file`,
    'note: nothing follows the newest record yet, so a change to it, or a cut before it, would not show',
  ]
  return lines.filter((line) => line !== '').join('\n')
}

function describeBroken({ file, line, seq, problem }: Broken): string {
  const record = seq === undefined ? '' : `, seq ${seq}`
  return `bad record: ${file}, line ${line}${record}: ${WHY[problem]} (${problem})`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
