/**
 * Domain names that look like other ones.
 *
 * INVARIANT: judges the name alone, with no list of good or bad senders but the few names that everybody imitates; a name
 * of one script, or one that is only long, foreign or oddly written, is nobody's imitation.
 */
import { hasLookalikesOnly, isMixed } from './deception.ts'
import { decodeLabel } from './punycode.ts'

/** In lower case, without the dot that may end it. */
export function domainOf(address: string): string {
  return address
    .slice(address.lastIndexOf('@') + 1)
    .toLowerCase()
    .replace(/\.$/, '')
}

/** What somebody registered: the last two labels, or three below such endings as `co.uk`. */
export function registeredDomain(domain: string): string {
  const labels = domain.split('.')
  const [second = '', last = ''] = labels.slice(-2)
  const isCountryOf = last.length === 2 && SECOND_LEVEL.has(second)
  return labels.slice(isCountryOf ? -3 : -2).join('.')
}

const SECOND_LEVEL = new Set('ac co com edu gob gov gouv govt ltd me mil ne net nhs nom or org plc sch'.split(' '))

/** Names that are imitated more than all others together. */
const IMITATED = (
  'adobe airbnb alibaba amazon amazonaws americanexpress apple bankofamerica barclays binance chase citibank coinbase ' +
  'docusign dropbox ebay facebook fedex github gmail google hsbc icloud instagram linkedin mastercard microsoft ' +
  'microsoftonline netflix office outlook paypal revolut salesforce santander slack spotify stripe telegram twitter ' +
  'wellsfargo whatsapp yahoo youtube zoom'
).split(' ')

/** No domain is longer. */
const MAX_DOMAIN = 253

const SHAPES = new Map(IMITATED.map((name) => [shape(name), name]))

/**
 * Whether a domain imitates: letters of several scripts in one label or look-alikes throughout, shapes such as `rn` for
 * `m` in a name that many imitate or that is the reader's own, or such a name in front of the real one.
 */
export function isImitation(domain: string, own: readonly string[]): boolean {
  if (domain.length > MAX_DOMAIN) return true
  const labels = domain.split('.').map((label) => decodeLabel(label) ?? label)
  if (labels.some((label) => isForeignDisguise(label))) return true
  const registered = registeredDomain(domain)
  const name = registered.split('.')[0] ?? ''
  const imitated = SHAPES.get(shape(name))
  if (imitated !== undefined && imitated !== name) return true
  return own.some((mine) => isImitationOf(domain, registered, mine))
}

const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Hebrew', 'Arabic'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
)

function isForeignDisguise(label: string): boolean {
  if (/^[ -~]*$/.test(label)) return false
  if (label.split(/[^\p{L}\p{M}]+/u).some((word) => isMixed(word))) return true
  return hasLookalikesOnly(label) || SCRIPTS.filter((script) => script.test(label)).length > 1
}

function isImitationOf(domain: string, registered: string, mine: string): boolean {
  const target = registeredDomain(mine)
  if (target === '' || !target.includes('.') || registered === target) return false
  return shape(registered) === shape(target) || domain.startsWith(`${target}.`) || domain.includes(`.${target}.`)
}

/** What a name looks like at a glance. */
function shape(name: string): string {
  return name
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('cl', 'd')
    .replace(/[1|i]/g, 'l')
    .replaceAll('0', 'o')
    .replaceAll('5', 's')
    .replaceAll('-', '')
}
