/**
 * Signed notes as C2SP's signed-note describes them, many in one text. Pure: whoever calls signs and checks.
 *
 * INVARIANT: a note's text has no empty line, and an empty line follows each note; so a text with notes splits at its
 * empty lines into a text, its signatures, a text, its signatures, and in no other way.
 */

/** Ed25519, in the numbering of C2SP. */
export const ED25519 = 1

/** Who signs: a name without spaces or plus signs, and a key of 32 bytes. */
export interface VerifierKey {
  readonly name: string
  /** Eight hex digits that tell keys apart. */
  readonly id: string
  /** 64 hex digits. */
  readonly publicKey: string
}

export interface Signature {
  readonly name: string
  readonly keyId: string
  /** Hex. */
  readonly bytes: string
}

export interface SignedNote {
  /** What is signed, its last newline included. */
  readonly text: string
  readonly signatures: readonly Signature[]
  /** The line of the file on which it begins, from 1. */
  readonly line: number
}

export interface Notes {
  readonly notes: readonly SignedNote[]
  /** The line of the first thing that is no note. */
  readonly badLine: number | undefined
  /** A last note that was cut while it was written. */
  readonly unfinished: boolean
}

const MARK = '— '
const SIGNATURE = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/
const VERIFIER_KEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/

export function writeNote(text: string, { name, keyId, bytes }: Signature): string {
  return `${text}\n${MARK}${name} ${hexToBase64(keyId + bytes)}\n\n`
}

export function readNotes(content: string): Notes {
  const notes: SignedNote[] = []
  const blocks = content.split('\n\n')
  const rest = blocks.pop() ?? ''
  let line = 1
  for (let at = 0; at + 1 < blocks.length; at += 2) {
    const [text = '', signed = ''] = blocks.slice(at, at + 2)
    const signatures = signed.split('\n').map(readSignature)
    const known = signatures.filter((signature) => signature !== undefined)
    if (text === '' || text.startsWith('\n') || known.length < signatures.length) {
      return { notes, badLine: line, unfinished: false }
    }
    notes.push({ text: `${text}\n`, signatures: known, line })
    line += text.split('\n').length + signatures.length + 2
  }
  return { notes, badLine: undefined, unfinished: blocks.length % 2 === 1 || rest !== '' }
}

function readSignature(line: string): Signature | undefined {
  const [, name, encoded] = SIGNATURE.exec(line) ?? []
  if (name === undefined || encoded === undefined) return undefined
  const hex = base64ToHex(encoded)
  return hex === undefined || hex.length <= 8 ? undefined : { name, keyId: hex.slice(0, 8), bytes: hex.slice(8) }
}

/** The form in which a public key is handed on: `<name>+<id>+<base64>`. */
export function writeVerifierKey({ name, id, publicKey }: VerifierKey): string {
  return `${name}+${id}+${hexToBase64(`0${ED25519}${publicKey}`)}`
}

/** Whether the id belongs to the key is for whoever can hash. */
export function readVerifierKey(text: string): VerifierKey | undefined {
  const [, name, id, encoded] = VERIFIER_KEY.exec(text.trim()) ?? []
  if (name === undefined || id === undefined || encoded === undefined) return undefined
  const hex = base64ToHex(encoded)
  return hex?.length === 66 && hex.startsWith(`0${ED25519}`) ? { name, id, publicKey: hex.slice(2) } : undefined
}

export function hexToBase64(hex: string): string {
  return btoa(hex.replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16))))
}

/** Undefined where it is not written the one way in which we write it. */
export function base64ToHex(encoded: string): string | undefined {
  try {
    const bytes = atob(encoded)
    if (btoa(bytes) !== encoded) return undefined
    return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  } catch {
    return undefined
  }
}
