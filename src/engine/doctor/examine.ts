/**
 * Looks at everything, side by side.
 *
 * INVARIANT: ends in bounded time whatever it looks at does, and tells of every check whatever becomes of the others. Findings come
 * in the order of the table.
 */
import { Failure } from '../../core/failure.ts'
import type { Log } from '../../ports/log.ts'
import type { Check } from './check.ts'
import { broken, type Finding, type Verdict, warning } from './finding.ts'
import type { World } from './world.ts'

export interface Examined extends Finding {
  readonly check: string
  readonly looksAt: string
}

export interface Examination {
  readonly findings: readonly Examined[]
  readonly counts: Readonly<Record<Verdict, number>>
}

export interface ExamineParts {
  readonly world: World
  readonly checks: readonly Check[]
  readonly log: Log
  /** Told the names of the checks that are not done, whenever one is. */
  onProgress?(unfinished: readonly string[]): void
  readonly signal: AbortSignal
}

const PATIENCE_MS = 10_000
/** What stops when it is asked to has so long for it. */
const GRACE_MS = 1000

export async function examine(parts: ExamineParts): Promise<Examination> {
  const { checks, onProgress } = parts
  const unfinished = new Set(checks.map(({ name }) => name))
  onProgress?.([...unfinished])
  const found = await Promise.all(
    checks.map(async (check) => {
      const findings = await findingsOf(check, parts)
      unfinished.delete(check.name)
      onProgress?.([...unfinished])
      return findings.map((finding) => ({ check: check.name, looksAt: check.looksAt, ...finding }))
    }),
  )
  const findings = found.flat()
  const number = (verdict: Verdict): number => findings.filter((finding) => finding.verdict === verdict).length
  return { findings, counts: { ok: number('ok'), warning: number('warning'), broken: number('broken') } }
}

async function findingsOf(check: Check, { world, log, signal }: ExamineParts): Promise<readonly Finding[]> {
  const patienceMs = check.patienceMs ?? PATIENCE_MS
  const stop = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  try {
    return await Promise.race([check.run(world, stop), outOfPatience(stop, patienceMs)])
  } catch (error) {
    if (error instanceof Failure) return [broken(error.message, `mend that, then run: postern doctor`)]
    log.error({ err: error, check: check.name }, 'something unexpected happened in an examination')
    return [broken('this could not be examined: something unexpected happened', 'run: POSTERN_DEBUG=1 postern doctor')]
  }
}

async function outOfPatience(stop: AbortSignal, patienceMs: number): Promise<readonly Finding[]> {
  return new Promise((resolve) => {
    const tell = (): void => {
      const sentence = `this was not done within ${Math.round(patienceMs / 1000)} s`
      const late = [warning(sentence, 'run "postern doctor" again when the machine and its network are less busy')]
      setTimeout(() => resolve(late), GRACE_MS)
    }
    if (stop.aborted) tell()
    else stop.addEventListener('abort', tell, { once: true })
  })
}
