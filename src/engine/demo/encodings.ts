/** Bytes as mail carries them: quoted-printable, base64, encoded words, parameters. */
import { encodeText } from './charset-encoder.ts'

const LINE = 76

export function ascii(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

export function base64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

export function base64Lines(bytes: Uint8Array): string {
  return (base64(bytes).match(/.{1,76}/g) ?? []).join('\r\n')
}

export function quotedPrintable(bytes: Uint8Array): string {
  const lines: string[] = []
  let line = ''
  for (const [at, byte] of bytes.entries()) {
    if (byte === 0x0a) {
      lines.push(line)
      line = ''
    } else if (byte !== 0x0d) {
      const atEnd = bytes[at + 1] === 0x0d || bytes[at + 1] === 0x0a || at + 1 === bytes.length
      const piece = quoted(byte, atEnd)
      if (line.length + piece.length >= LINE) {
        lines.push(`${line}=`)
        line = ''
      }
      line += piece
    }
  }
  return [...lines, line].join('\r\n')
}

function quoted(byte: number, atEnd: boolean): string {
  const plain = (byte > 0x20 && byte < 0x7f && byte !== 0x3d) || ((byte === 0x20 || byte === 0x09) && !atEnd)
  return plain ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
}

/** A header text: as it is where it is ASCII, else in encoded words that each hold whole characters. */
export function headerText(text: string, charset: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text
  const words: string[] = []
  const letters = [...text]
  const size = charset === 'utf-8' ? 10 : 14
  for (let at = 0; at < letters.length; at += size) {
    words.push(`=?${charset}?B?${base64(encodeText(letters.slice(at, at + size).join(''), charset))}?=`)
  }
  return words.join('\r\n ')
}

/** `Name <address>` with its name encoded where it must be, and quoted where it must be. */
export function headerAddress(address: string, charset: string): string {
  const [, name = '', mail = address] = /^(.*?)\s*<([^>]+)>$/.exec(address) ?? []
  if (name === '') return mail
  if (!/^\p{ASCII}*$/u.test(name)) return `${headerText(name, charset)} <${mail}>`
  return /^[\w .'-]+$/.test(name) && !name.includes('.') ? `${name} <${mail}>` : `"${name}" <${mail}>`
}

export function fileParameter(name: string, value: string): string {
  return /^\p{ASCII}*$/u.test(value) ? `${name}="${value}"` : `${name}*=utf-8''${encodeURIComponent(value)}`
}
