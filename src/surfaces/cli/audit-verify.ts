/** `postern audit verify`: says whether the record is whole, and if not, where it first is not. */
import type { KeyUsed } from '../../core/audit/attestation.ts'
import type { Broken, Intact, Problem, Verification } from '../../core/audit/verify.ts'
import { Failure } from '../../core/failure.ts'
import { count } from '../../core/text/count.ts'
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
  missing_file: 'a file is missing: the one that it follows, or the one that its checkpoints speak of',
  not_as_signed:
    'a checkpoint signed another record there: it was changed, or one between it and the checkpoint before',
  cut_short: 'the file ends before it, though a checkpoint says that there was more',
  bad_checkpoint: 'it is no checkpoint of this day, or its signature is false',
  foreign_checkpoint: 'the checkpoint is signed with another key than the one that was given',
}

/** `key`: a public key that was kept elsewhere, or the path of a file with one. */
export type VerifyChoice = AuditVerifyChoice & { readonly key?: string }

type Verified = Verification & { readonly key: KeyUsed }

export interface AuditVerifyParts {
  verify(directory: string, options: { readonly key?: string }): Promise<Verified>
  /** Where this installation keeps its record. */
  readonly ownDirectory: string
  /** Whether it has ever written any: its key is made with the first record. */
  hasKey(): boolean
  readonly terminal: Terminal
}

export async function verifyAudit(choice: VerifyChoice, parts: AuditVerifyParts): Promise<number> {
  const { terminal, ownDirectory } = parts
  const directory = choice.directory ?? ownDirectory
  try {
    const verification = await parts.verify(directory, choice.key === undefined ? {} : { key: choice.key })
    if (verification.kind === 'broken') {
      terminal.print(`${describeBroken(verification)}\n`)
      return 1
    }
    if (verification.records > 0) {
      terminal.print(`${describeIntact(verification, verification.key)}\n`)
      if (verification.key.kind !== 'given' || verification.attestation.trusted > 0) return 0
      // Whoever brings a key wants proof, and removing the checkpoints would otherwise hide a cut.
      terminal.complain('postern: no checkpoint is signed with this key, so nothing here is proved\n')
      return 1
    }
    if (isUnwritten(choice, parts)) return noRecordsYet(terminal, directory)
    terminal.complain(`postern: there is no record in ${directory}: no *.jsonl file with a line in it\n`)
    return 1
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code === 'not_found' && isUnwritten(choice, parts)) return noRecordsYet(terminal, directory)
    terminal.complain(`postern: ${error.message}: ${directory}\n`)
    return 1
  }
}

/** Where there is a key, there were records once; and whoever names a directory or brings a key expects some. */
function isUnwritten({ directory, key }: VerifyChoice, { hasKey }: AuditVerifyParts): boolean {
  return directory === undefined && key === undefined && !hasKey()
}

function noRecordsYet(terminal: Terminal, directory: string): number {
  terminal.print(`no records yet in ${directory}\n`)
  return 0
}

function describeIntact(intact: Intact, key: KeyUsed): string {
  const { records, files, firstDay, lastDay, fromTheBeginning, tornTails, missingFiles, deletedFiles } = intact
  const lines = [
    `ok: ${count(records, 'record')} in ${count(files, 'file')}, chain intact from ${firstDay} to ${lastDay}`,
    fromTheBeginning ? '' : `note: it does not begin with the first record ever: ${whyNot(deletedFiles)}`,
    missingFiles === 0
      ? ''
      : `note: ${count(missingFiles, 'record')} of a day without a file: nothing to record, or removed`,
    tornTails === 0 ? '' : `note: ${count(tornTails, 'record')} of an incomplete last line, kept in a .torn file`,
    ...describeProof(intact, key),
  ]
  return lines.filter((line) => line !== '').join('\n')
}

function whyNot(deletedFiles: number): string {
  if (deletedFiles === 0) return 'older files are not here, and no record says that they were deleted for their age'
  return `older files are not here; ${count(deletedFiles, 'record')} of a file deleted for its age`
}

/** What the checkpoints prove, and what nothing does. */
function describeProof({ attestation, records }: Intact, key: KeyUsed): string[] {
  const { trusted, unknown, bareFiles, unproved } = attestation
  const proved = `signed: ${count(trusted, 'checkpoint')}, covering ${records - unproved} of ${count(records, 'record')}`
  return [
    key.kind === 'none' || trusted === 0 ? '' : `${proved}, with key ${key.id}`,
    key.kind === 'none' ? 'note: there is no public key (audit.pub), so no checkpoint proves anything' : '',
    key.kind !== 'none' && trusted === 0 && unknown === 0 ? 'note: there are no checkpoints (*.ckpt)' : '',
    key.kind !== 'none' && unknown > 0
      ? `note: ${count(unknown, 'checkpoint')} signed with another key than ${key.id}: the key was replaced, here or there`
      : '',
    trusted > 0 && bareFiles > 0 ? `note: ${count(bareFiles, 'earlier file')} without a checkpoint of this key` : '',
    key.kind === 'found' && trusted > 0
      ? 'note: whoever could replace audit.key and audit.pub could sign anew; keep a copy of audit.pub elsewhere and give it with --key'
      : '',
    trusted === 0
      ? 'note: nothing follows the newest record yet, so a change to it, or a cut before it, would not show'
      : `note: not proved: ${unprovedText(unproved)}whether newer files with their checkpoints are gone`,
  ]
}

function unprovedText(records: number): string {
  return records === 0 ? '' : `${count(records, 'record')} after the last checkpoint, and `
}

function describeBroken({ file, line, seq, problem }: Broken): string {
  const record = seq === undefined ? '' : `, seq ${seq}`
  return `bad record: ${file}, line ${line}${record}: ${WHY[problem]} (${problem})`
}
