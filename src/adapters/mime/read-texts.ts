/**
 * Many texts in few jobs: for a short text, being handed to a worker and back takes longer than being read.
 *
 * INVARIANT: a text that breaks the job it is in is read again by itself, and so are those that were in it: it fails alone.
 * Few jobs are under way at once, so that somebody who reads one message does not wait behind all of them.
 */
import type { Readable } from '../../core/content.ts'
import { Failure } from '../../core/failure.ts'
import type { ContentReader, EncodedText } from '../../ports/content-reader.ts'
import type { Pool } from './pool.ts'

/** Work for a while: when the main thread writes to a mirror, it hands out nothing. */
const JOB_PARTS = 64
const JOB_BYTES = 512 * 1024
const AT_ONCE = 2

type Read = Readable | Failure

export async function readTexts(
  parts: readonly EncodedText[],
  maxChars: number,
  pool: Pool,
  reader: Pick<ContentReader, 'text'>,
  signal: AbortSignal,
): Promise<readonly Read[]> {
  const jobs = jobsOf(parts)
  const answers: (readonly Read[])[] = jobs.map(() => [])
  const waiting = [...jobs.entries()]
  const alone = async (part: EncodedText): Promise<Read> => {
    try {
      return await reader.text(part, maxChars, signal)
    } catch (error) {
      if (error instanceof Failure && !signal.aborted) return error
      throw error
    }
  }
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, job] = next
      const together = job.length > 1 ? await inOneJob(job, maxChars, pool, signal) : undefined
      answers[at] = together ?? (await oneByOne(job, alone))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return answers.flat()
}

/** Undefined where some of them, nobody knows which, broke it. */
async function inOneJob(
  job: readonly EncodedText[],
  maxChars: number,
  pool: Pool,
  signal: AbortSignal,
): Promise<readonly Readable[] | undefined> {
  const { parts, buffer } = inOneBuffer(job)
  try {
    const output = await pool.run({ kind: 'texts', parts, maxChars }, [buffer], signal)
    return Array.isArray(output) ? output : undefined
  } catch (error) {
    if (error instanceof Failure && !signal.aborted) return undefined
    throw error
  }
}

/** The bytes of all of them beside each other: one buffer is handed over faster than many. */
function inOneBuffer(job: readonly EncodedText[]): { parts: readonly EncodedText[]; buffer: ArrayBuffer } {
  const all = new Uint8Array(job.reduce((sum, { bytes }) => sum + bytes.length, 0))
  let taken = 0
  const parts = job.map((part) => {
    const bytes = all.subarray(taken, taken + part.bytes.length)
    bytes.set(part.bytes)
    taken += part.bytes.length
    return { ...part, bytes }
  })
  return { parts, buffer: all.buffer }
}

async function oneByOne(
  job: readonly EncodedText[],
  alone: (part: EncodedText) => Promise<Read>,
): Promise<readonly Read[]> {
  const answers: Read[] = []
  for (const part of job) answers.push(await alone(part))
  return answers
}

/** A large one has a job of its own. */
function jobsOf(parts: readonly EncodedText[]): readonly (readonly EncodedText[])[] {
  const jobs: EncodedText[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const part of parts) {
    const job = jobs.at(-1)
    bytes += part.bytes.length
    if (job !== undefined && job.length < JOB_PARTS && bytes <= JOB_BYTES) job.push(part)
    else {
      jobs.push([part])
      bytes = part.bytes.length
    }
  }
  return jobs
}
