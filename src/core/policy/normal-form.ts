/**
 * The one form in which addresses, domains and words are compared.
 *
 * INVARIANT: idempotent, never throws, linear in the size of the input, and two spellings that mean the same to a mail
 * server have the same form.
 */

/**
 * Case and composition do not matter, nor do characters that nobody sees, nor how wide a blank is. Upper case, because
 * lower case knows two forms of a Greek sigma; by way of lower case, because only from there does a capital sharp s become
 * two letters.
 */
export function foldText(text: string): string {
  const seen = PLAIN.test(text) ? text : text.replace(UNSEEN, '')
  return seen.replace(BLANKS, ' ').normalize('NFC').toLowerCase().toUpperCase().normalize('NFC')
}

const PLAIN = /^[ -~]*$/
const UNSEEN = /[\p{DI}\p{Co}\p{Cs}\u2800\ufff9-\ufffb]|(?!\s)\p{Cc}/gu
const BLANKS = /\s+/gu

/** Lower case, without the dots that may end it, internationalised names in their ASCII form. */
export function normalDomain(domain: string): string {
  const plain = withoutEnd(domain.trim().toLowerCase())
  return ASCII.test(plain) ? plain : asciiDomain(plain)
}

/** Letter case does not matter on either side of the `@`, nor do quotes around a local part that needs none. */
export function normalAddress(address: string): string {
  const at = address.lastIndexOf('@')
  if (at === -1) return lowerCase(address)
  return `${unquoted(lowerCase(address.slice(0, at)))}@${normalDomain(address.slice(at + 1))}`
}

/** Empty where the address has none. */
export function domainIn(normal: string): string {
  const at = normal.lastIndexOf('@')
  return at === -1 ? '' : normal.slice(at + 1)
}

const ASCII = /^[\x21-\x7e]*$/
/** What no host name holds, and may mean something else than itself in a URL. */
const NO_HOST = /[^a-z0-9._\-\u{80}-\u{10ffff}]|[\s\p{Cc}]/u
const NEEDLESSLY_QUOTED = /^"((?:[^\s"\\@(),:;<>[\]]|\\[^\s"\\@(),:;<>[\]])+)"$/

function lowerCase(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC').trim()
}

function unquoted(local: string): string {
  return NEEDLESSLY_QUOTED.exec(local)?.[1]?.replaceAll('\\', '') ?? local
}

/** A name that no registry could hold stays as it is: then it equals only itself. */
function asciiDomain(domain: string): string {
  const asIs = withoutEnd(domain.normalize('NFC'))
  if (NO_HOST.test(domain)) return asIs
  try {
    return withoutEnd(new URL(`http://${domain}`).hostname)
  } catch {
    return asIs
  }
}

/** One step at a time: a pattern would look at a long run of dots from each of them. */
function withoutEnd(domain: string): string {
  let end = domain.length
  while (end > 0 && (domain[end - 1] === '.' || domain[end - 1]?.trim() === '')) end -= 1
  return domain.slice(0, end)
}
