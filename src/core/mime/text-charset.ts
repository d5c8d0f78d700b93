/**
 * The characters of a text part. HTML of which the mail itself says nothing most often says it itself, as its readers know.
 *
 * INVARIANT: linear in the size of the input, never throws. What the mail says comes first, and what is UTF-8 is read so
 * whatever its HTML says: somebody on the way has rewritten the one and not the other. So is what is marked as UTF-16.
 */
import { asciiText, isLikelyUtf8 } from './bytes.ts'
import {
  type CharsetOptions,
  decodeCharset,
  encodingNamed,
  isMarkedUtf16,
  saysNothing,
  withoutCutCharacter,
} from './charset.ts'

/** Where browsers look for it, and as much again for styles that mail programs put first. */
const LOOKED_AT = 2048
/** Or a comment, in which nobody looks. */
const META =
  /<!(?=--)[\s\S]*?(?:-->|$)|<meta(?=[\s/])[^<>]{0,256}?[\s/"';]charset\s{0,8}=\s{0,8}["']?([a-z0-9_.:-]{1,40})/gi
/**
 * Nobody could have read as far as the label, or a tag might be no tag to those who do not look for one, or text a tag. By what a
 * label means: each of these has many.
 */
const UNFIT = /^(?:utf|iso-2022|x-user)/

export interface TextKind {
  readonly type: string
  /** As the mail has it. */
  readonly charset: string | undefined
}

export function decodeText(bytes: Uint8Array, { type, charset }: TextKind, options?: CharsetOptions): string {
  const own = type === 'text/html' && saysNothing(charset) ? ownLabel(bytes, options) : undefined
  return decodeCharset(bytes, own ?? charset, options)
}

function ownLabel(bytes: Uint8Array, options: CharsetOptions | undefined): string | undefined {
  const [label] = [...asciiText(bytes.subarray(0, LOOKED_AT)).matchAll(META)].flatMap(([, its]) => its ?? [])
  const encoding = label && encodingNamed(label)
  if (encoding === undefined || UNFIT.test(encoding) || isMarkedUtf16(bytes)) return undefined
  return isLikelyUtf8(options?.partial === true ? withoutCutCharacter(bytes) : bytes) ? undefined : label
}
