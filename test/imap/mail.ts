/** Messages of several parts, for tests. */

let boundaries = 0

/** A message, or part of one, of a single type. `body` is already encoded. */
export function part(type: string, body: string, headers: readonly string[] = []): string {
  return [`Content-Type: ${type}`, ...headers, '', body].join('\r\n')
}

export function multipart(kind: string, ...parts: readonly string[]): string {
  boundaries += 1
  const boundary = `boundary-${boundaries}`
  const pieces = parts.flatMap((piece) => [`--${boundary}`, piece])
  return [
    'MIME-Version: 1.0',
    `Content-Type: multipart/${kind}; boundary="${boundary}"`,
    '',
    'This is the preamble, which nobody should see.',
    ...pieces,
    `--${boundary}--`,
    '',
  ].join('\r\n')
}

/** An attached file. */
export function attachment(type: string, name: string, content: string | Uint8Array): string {
  return part(`${type}; name="${name}"`, base64(content), [
    `Content-Disposition: attachment; filename="${name}"`,
    'Content-Transfer-Encoding: base64',
  ])
}

export function base64(content: string | Uint8Array): string {
  const lines =
    Buffer.from(content)
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  return lines.join('\r\n')
}

/** Header fields in front of what `part` or `multipart` made. */
export function mail(headers: readonly string[], body: string): string {
  return [...headers, body].join('\r\n')
}
