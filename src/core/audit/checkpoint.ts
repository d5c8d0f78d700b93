/**
 * What a checkpoint says: so many records stood in a day's file, and this was the hash of the last one. The text follows
 * C2SP's tlog-checkpoint, with the head of the hash chain in the place of a tree's root.
 */
import { base64ToHex, hexToBase64 } from './note.ts'

export interface Checkpoint {
  readonly day: string
  /** Records in the file. */
  readonly size: number
  /** The hash of the last of them, as records write hashes. */
  readonly root: string
  /** ISO 8601. */
  readonly time: string
}

/** Who signs: the name that stands on each signature. Each day is a log of its own, so the origin has its day too. */
export const SIGNER_NAME = 'postern/audit'

const PREFIX = 'sha256:'
const TEXT = /^postern\/audit\/(\d{4}-\d{2}-\d{2})\n([1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\ntime (\S+)\n$/

export function checkpointText({ day, size, root, time }: Checkpoint): string {
  return `${SIGNER_NAME}/${day}\n${size}\n${hexToBase64(root.slice(PREFIX.length))}\ntime ${time}\n`
}

export function readCheckpointText(text: string): Checkpoint | undefined {
  const [, day, size, encoded, time] = TEXT.exec(text) ?? []
  const hex = encoded === undefined ? undefined : base64ToHex(encoded)
  if (day === undefined || hex === undefined || time === undefined) return undefined
  return { day, size: Number(size), root: `${PREFIX}${hex}`, time }
}
