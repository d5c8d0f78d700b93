/**
 * `postern sync [ACCOUNT...]`: brings the mirrors of accounts to where their servers are.
 *
 * INVARIANT: can be stopped and started again at any time; it goes on where it was. What is for people while it runs goes to
 * stderr, what happened to stdout.
 */
import { Failure } from '../../core/failure.ts'
import type { FolderReport, SyncReport } from '../../engine/sync/full-sync.ts'
import type { OnProgress } from '../../engine/sync/progress.ts'
import { countText, durationText } from './import-progress.ts'
import type { Terminal } from './program.ts'
import { folderName, syncLine, syncNote } from './sync-progress.ts'

export interface SyncChoice {
  /** All that have a mirror when there are none. */
  readonly accounts: readonly string[]
  /** One JSON object a folder instead of words. */
  readonly json: boolean
  readonly config?: string
}

/** The accounts that are configured to have a mirror. */
export interface SyncDesk {
  /** Those that are to have a mirror. */
  accounts(): readonly string[]
  /** All that are configured. */
  known(): readonly string[]
  sync(account: string, onProgress: OnProgress, signal: AbortSignal): Promise<SyncReport>
}

export interface SyncCommandParts {
  readonly desk: SyncDesk
  readonly terminal: Terminal
  /** Whether `complain` reaches a person who can see a line change, and how wide that line may be. */
  readonly interactive: boolean
  readonly columns?: number
  /** Milliseconds that only ever grow. */
  elapsed(): number
  onStop(stop: () => void): void
}

const USUAL_COLUMNS = 80
const NOTE_MS = 5000
const NO_ACCOUNT =
  'no mail account is configured here; name a tree with --config, or set MAIL_IMAP_DEFAULT_HOST, MAIL_IMAP_DEFAULT_USER and ' +
  'MAIL_IMAP_DEFAULT_PASS beside MAIL_IMAP_DEFAULT_MIRROR'
const NO_MIRROR =
  'no account has a mirror; write mirror: headers or mirror: full beside it in accounts.yaml, or set MAIL_IMAP_<ACCOUNT>_MIRROR'
const ERASE_LINE = '\r\u001B[2K'

export async function syncCommand(choice: SyncChoice, parts: SyncCommandParts): Promise<number> {
  const stopping = new AbortController()
  parts.onStop(() => stopping.abort(new Failure('cancelled', 'stopped; run the same command to go on from here')))
  try {
    let code = 0
    for (const account of chosenAccounts(choice, parts)) {
      if (!(await syncOne(account, choice, parts, stopping.signal))) code = 1
      if (stopping.signal.aborted) break
    }
    return code
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    parts.terminal.complain(`postern: ${error.message}\n`)
    return 1
  }
}

function chosenAccounts({ accounts }: SyncChoice, { desk }: SyncCommandParts): readonly string[] {
  const [mirrored, known] = [desk.accounts(), desk.known()]
  if (known.length === 0) throw new Failure('invalid_input', NO_ACCOUNT)
  const [strange] = accounts.filter((account) => !known.includes(account))
  if (strange !== undefined) {
    throw new Failure('not_found', `there is no account ${JSON.stringify(strange)}; there are: ${known.join(', ')}`)
  }
  if (mirrored.length === 0) throw new Failure('invalid_input', NO_MIRROR)
  const without = accounts.filter((account) => !mirrored.includes(account)).map((name) => JSON.stringify(name))
  if (without.length > 0) {
    const there = `there is one for: ${mirrored.join(', ')}`
    throw new Failure('invalid_input', `no mirror is configured for ${without.join(', ')}; ${there}`)
  }
  return accounts.length > 0 ? [...new Set(accounts)] : mirrored
}

/** Whether all of it went well. */
async function syncOne(
  account: string,
  { json }: SyncChoice,
  parts: SyncCommandParts,
  signal: AbortSignal,
): Promise<boolean> {
  const { desk, terminal, interactive } = parts
  try {
    const report = await desk.sync(account, shown(parts), signal)
    if (interactive) terminal.complain(ERASE_LINE)
    if (report.kind === 'busy') throw new Failure('conflict', 'another process is syncing it; nothing was done')
    terminal.print(json ? jsonLines(account, report.folders) : summary(account, report))
    return report.folders.every(({ failure }) => failure === undefined)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    terminal.complain(`${interactive ? ERASE_LINE : ''}postern: account ${account}: ${error.message}\n`)
    return false
  }
}

function shown({ terminal, interactive, columns = USUAL_COLUMNS, elapsed }: SyncCommandParts): OnProgress {
  if (interactive) return (progress) => terminal.complain(ERASE_LINE + syncLine(progress, columns))
  let noted = elapsed()
  return (progress) => {
    if (elapsed() - noted < NOTE_MS) return
    noted = elapsed()
    terminal.complain(`${syncNote(progress)}\n`)
  }
}

function jsonLines(account: string, folders: readonly FolderReport[]): string {
  const line = ({ failure, ...folder }: FolderReport): string => {
    const error = failure === undefined ? {} : { error: { code: failure.code, message: failure.message } }
    return `${JSON.stringify({ account, ...folder, ...error })}\n`
  }
  return folders.map(line).join('')
}

function summary(account: string, { folders, dropped, seconds }: Extract<SyncReport, { kind: 'done' }>): string {
  const sum = (of: (folder: FolderReport) => number): string =>
    countText(folders.reduce((total, folder) => total + of(folder), 0))
  const kept = `${sum((folder) => folder.kept)} messages in ${countText(folders.length)} folders`
  const work = `${sum((folder) => folder.fetched)} fetched, ${sum((folder) => folder.indexed)} indexed`
  const lines = [
    `${account}: ${kept} (${work}, ${durationText(seconds)}).`,
    ...(dropped.length > 0 ? [`  ${countText(dropped.length)} that are no longer there were removed.`] : []),
    ...folders.flatMap(({ mailbox, failure }) =>
      failure === undefined ? [] : [`  ${folderName(mailbox)} could not be synced: ${failure.message}`],
    ),
  ]
  return lines.map((line) => `${line}\n`).join('')
}
