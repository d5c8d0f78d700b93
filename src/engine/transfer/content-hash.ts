/** The hash by which a message is known again, whatever its line ends. */
import { comparable } from '../../core/transfer/line-ends.ts'
import type { Content } from '../../core/transfer/transfer.ts'

export type Digest = (bytes: Uint8Array) => string

export function contentHash(bytes: Uint8Array, digest: Digest): string {
  return digest(comparable(bytes))
}

/** The hashes under which a journal may know these bytes: journals before version 3 hold that of the bytes as they were. */
export function knownHashes(bytes: Uint8Array, digest: Digest): readonly string[] {
  const form = comparable(bytes)
  return form === bytes ? [digest(bytes)] : [digest(form), digest(bytes)]
}

export function isContent(bytes: Uint8Array, content: Content | undefined, digest: Digest): boolean {
  return content !== undefined && knownHashes(bytes, digest).includes(content.hash)
}
