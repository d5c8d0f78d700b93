/**
 * `postern doctor`: what is wrong here, and what mends it.
 *
 * INVARIANT: 0 only where nothing is broken. Findings go to stdout, what is for people while it runs to stderr.
 */
import type { Examination } from '../../../engine/doctor/examine.ts'
import { escapedJson } from '../escaped.ts'
import type { Adviser } from '../program.ts'
import { reportText } from './report.ts'

export interface DoctorChoice {
  readonly config?: string
  readonly json: boolean
}

export interface DoctorCommandParts {
  examine(onProgress: (unfinished: readonly string[]) => void, signal: AbortSignal): Promise<Examination>
  readonly version: string
  readonly terminal: Adviser
  /** Whether `complain` reaches a person who can see a line change, and how wide that line may be. */
  readonly interactive: boolean
  readonly columns?: number | undefined
  onStop(stop: () => void): void
}

const USUAL_COLUMNS = 80
const SHOW_AFTER_MS = 1000
const ERASE_LINE = '\r\u001B[2K'

export async function doctorCommand(choice: DoctorChoice, parts: DoctorCommandParts): Promise<number> {
  const { terminal, version } = parts
  const stopping = new AbortController()
  parts.onStop(() => stopping.abort())
  const progress = shown(parts)
  const examination = await parts.examine(progress.note, stopping.signal).finally(progress.end)
  if (choice.json) terminal.print(`${reportJson(examination, version)}\n`)
  else terminal.advise(reportText(examination))
  return examination.counts.broken === 0 ? 0 : 1
}

function reportJson({ findings, counts }: Examination, version: string): string {
  const rows = findings.map(({ looksAt, ...finding }) => ({ ...finding, looks_at: looksAt }))
  return escapedJson({ version, ok: counts.broken === 0, counts, findings: rows })
}

interface Progress {
  note(unfinished: readonly string[]): void
  end(): void
}

/** Whoever waits longer than a second is told for what. */
function shown({ terminal, interactive, columns = USUAL_COLUMNS }: DoctorCommandParts): Progress {
  let unfinished: readonly string[] = []
  let isShown = false
  const tell = (): void => {
    isShown = true
    const line = `still looking at: ${unfinished.join(', ')}`
    terminal.complain(interactive ? ERASE_LINE + line.slice(0, columns - 1) : `${line}\n`)
  }
  const waiting = setTimeout(tell, SHOW_AFTER_MS)
  return {
    note(names) {
      unfinished = names
      if (isShown && interactive && names.length > 0) tell()
    },
    end() {
      clearTimeout(waiting)
      if (isShown && interactive) terminal.complain(ERASE_LINE)
    },
  }
}
