/**
 * HTML of whose characters the mail itself says nothing: most often the HTML does, as its readers know.
 *
 * INVARIANT: linear in the size of the input, never throws. What the mail says comes first, and what is UTF-8 is read so
 * whatever its HTML says: somebody on the way has rewritten the one and not the other.
 */
import { asciiText, isLikelyUtf8 } from './bytes.ts'
import { type CharsetOptions, decodeCharset, saysNothing } from './charset.ts'

/** Where browsers look for it, and as much again for styles that mail programs put first. */
const LOOKED_AT = 2048
const META = /<meta\b[^<>]{0,256}?\bcharset\s{0,8}=\s{0,8}["']?([a-z0-9_.:-]{1,40})/i
/** Nobody could have read as far as the label, or a tag might be no tag to those who do not look for one. */
const UNFIT = /^(?:utf|iso-?2022|hz)/i

export function decodeHtml(bytes: Uint8Array, label: string | undefined, options?: CharsetOptions): string {
  return decodeCharset(bytes, saysNothing(label) ? (ownLabel(bytes) ?? label) : label, options)
}

function ownLabel(bytes: Uint8Array): string | undefined {
  const label = META.exec(asciiText(bytes.subarray(0, LOOKED_AT)))?.[1]
  return label === undefined || UNFIT.test(label) || isLikelyUtf8(bytes) ? undefined : label
}
