/**
 * The names in an audit directory: `<day>.jsonl`, or `<day>.jsonl.gz` once it is old; beside it `<day>.ckpt` with its
 * checkpoints, and `<day>.torn` where a line was cut off.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface DayFile {
  readonly day: string
  readonly name: string
  readonly path: string
  readonly compressed: boolean
}

const NAME = /^(\d{4}-\d{2}-\d{2})\.jsonl(\.gz)?$/
const CHECKPOINTS = /^(\d{4}-\d{2}-\d{2})\.ckpt$/
const OURS = /^(\.probe|\.(lock|retention)\.db(-journal)?|\d{4}-\d{2}-\d{2}\.(jsonl(\.gz(\.part)?)?|torn|ckpt))$/

export function dayFile(directory: string, day: string): DayFile {
  const name = `${day}.jsonl`
  return { day, name, path: join(directory, name), compressed: false }
}

export function tornPath(directory: string, day: string): string {
  return join(directory, `${day}.torn`)
}

export function checkpointPath(directory: string, day: string): string {
  return join(directory, `${day}.ckpt`)
}

/** Written and removed to see whether records can be written. */
export function probePath(directory: string): string {
  return join(directory, '.probe')
}

/** Days that have checkpoints, oldest first. */
export async function listCheckpointDays(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).flatMap((name) => CHECKPOINTS.exec(name)?.[1] ?? []).sort()
}

/** Oldest first, one for each day. Where a day has both, compressing it was cut short and the plain file counts. */
export async function listDayFiles(directory: string): Promise<readonly DayFile[]> {
  const byDay = new Map<string, DayFile>()
  for (const name of (await readdir(directory)).sort().reverse()) {
    const [, day, gz] = NAME.exec(name) ?? []
    if (day === undefined || Number.isNaN(Date.parse(day))) continue
    byDay.set(day, { day, name, path: join(directory, name), compressed: gz !== undefined })
  }
  return [...byDay.values()].reverse()
}

/** Whether the directory holds nothing but an audit log, so that it is ours to close to others. */
export async function holdsOnlyOurs(directory: string): Promise<boolean> {
  return (await readdir(directory)).every((name) => OURS.test(name))
}
