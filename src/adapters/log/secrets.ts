/**
 * Keeps secrets out of text.
 *
 * INVARIANT: a value handed to `hide` appears in nothing that `mask` returns: not as it is, escaped or misread as Latin-1, not percent-encoded, and not
 * inside base64 of something longer, such as an SMTP or IMAP login line.
 */
export const MASK = '[hidden]'

/** Shorter ones would mask half of every line, and are no secrets to anyone. */
const SHORTEST = 3

const SECRET_KEY =
  /pass(word|wd|phrase|code)?$|^pwd$|token|secret|authori[sz]ation|cookie|credential|^auth$|api_?key|private_?key|signature$/

/** Whether a field of this name holds a secret: `pass`, `accessToken`, `set-cookie` … */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key.toLowerCase().replaceAll('-', '_'))
}

export class Secrets {
  #forms: string[] = []

  hide(secret: string): void {
    if (secret.length < SHORTEST) return
    const forms = [...spellings(secret), encodeURIComponent(secret.toWellFormed()), ...base64Forms(secret)]
    const all = new Set([...this.#forms, ...forms.filter((form) => form.length >= SHORTEST)])
    // Longest first: a secret that contains another one is masked whole.
    this.#forms = [...all].sort((a, b) => b.length - a.length)
  }

  mask(text: string): string {
    let masked = text
    for (const form of this.#forms) if (masked.includes(form)) masked = masked.replaceAll(form, MASK)
    return masked
  }
}

/** As it is, as a quoted string escapes it, and both as they look when their bytes are read one character each. */
function spellings(secret: string): string[] {
  const plain = [secret, secret.replace(/["\\]/g, '\\$&')]
  return [...plain, ...plain.map((text) => Buffer.from(text).toString('latin1'))]
}

/** Base64 has three alignments: what it is depends on how many bytes stand before, modulo three. */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)])
    const firstOwnDigit = Math.ceil((shift * 8) / 6)
    const digits = Math.floor((bytes.length * 8) / 6)
    const standard = bytes.toString('base64').slice(firstOwnDigit, digits)
    return standard.length <= SHORTEST ? [] : [standard, standard.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
