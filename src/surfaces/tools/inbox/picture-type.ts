/** The type of a picture that hosts can show, by its own first bytes: a sender may call anything a picture. */
const STARTS: readonly (readonly [mimeType: string, at: number, text: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
]

export function pictureType(bytes: Uint8Array): string | undefined {
  return STARTS.find(([, at, text]) =>
    [...text].every((character, i) => bytes[at + i] === character.charCodeAt(0)),
  )?.[0]
}
