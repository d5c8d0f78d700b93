/**
 * Line ends of a message that goes from one account to another: as it is sent, and as two copies of it are compared.
 *
 * INVARIANT: linear in the size of the message, whatever its bytes. A message that needs no change is returned as it is.
 */
const CR = 0x0d
const LF = 0x0a

/**
 * The message with CRLF for each bare LF (RFC 5322 §2.3): mailbox files hold bare LFs, and some servers refuse them.
 * A bare CR stays: our parser and mail servers do not end a line there, so a line end would make header fields that no
 * rule was asked about.
 */
export function withCrlf(bytes: Uint8Array): Uint8Array {
  let bare = 0
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) if (bytes[at - 1] !== CR) bare += 1
  if (bare === 0) return bytes
  const written = new Uint8Array(bytes.length + bare)
  let [from, to] = [0, 0]
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] === CR) continue
    written.set(bytes.subarray(from, at), to)
    to += at - from
    written[to++] = CR
    from = at
  }
  written.set(bytes.subarray(from), to)
  return written
}

/**
 * What must be the same in two copies of a message: every line end (LF, CR, CRLF, CR CR LF) is CRLF, and there is one at
 * the end. Servers rewrite line ends and end the last line; neither changes what the message says (RFC 6376 §3.4.3
 * ignores empty lines at the end of a body, too).
 */
export function comparable(bytes: Uint8Array): Uint8Array {
  let end = bytes.length
  while (end > 0 && isLineEnd(bytes[end - 1])) end -= 1
  let ends = 0
  let bare = 0
  for (let at = 0; at < end; at += 1) {
    if (!isLineEnd(bytes[at])) continue
    ends += 1
    if (bytes[at] === CR ? bytes[at + 1] !== LF : bytes[at - 1] !== CR) bare += 1
  }
  const isOneCrlf = end + 2 === bytes.length && bytes[end] === CR && bytes[end + 1] === LF
  return bare === 0 && isOneCrlf ? bytes : rewritten(bytes.subarray(0, end), ends)
}

/** `ends` is how many CRs and LFs there are: each becomes two bytes at most. */
function rewritten(bytes: Uint8Array, ends: number): Uint8Array {
  const written = new Uint8Array(bytes.length + ends + 2)
  let to = 0
  let pendingCrs = 0
  const endLines = (count: number): void => {
    for (let line = 0; line < count; line += 1) {
      written[to++] = CR
      written[to++] = LF
    }
    pendingCrs = 0
  }
  for (const byte of bytes) {
    if (byte === CR) pendingCrs += 1
    else if (byte === LF) endLines(1)
    else {
      if (pendingCrs > 0) endLines(pendingCrs)
      written[to++] = byte
    }
  }
  endLines(1)
  return written.subarray(0, to)
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === CR || byte === LF
}
