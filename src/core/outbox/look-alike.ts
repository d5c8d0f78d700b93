/**
 * Whether an address is made to be taken for another.
 *
 * INVARIANT: an address is no imitation of itself, in whatever letter case or spelling, nor of one at another host of the same
 * domain. That somebody is known excuses what may be chance, never letters in disguise: whoever writes to us becomes known.
 */
import { normalAddress, normalDomain } from '../policy/normal-form.ts'
import { registeredDomain } from '../text/domains.ts'
import { decodeLabel } from '../text/punycode.ts'
import { isOneSlipApart, shapeOf } from './letter-shapes.ts'

/** The one of `known`, an address or a domain, that it imitates without being it. */
export function lookAlike(address: string, known: readonly string[]): string | undefined {
  const asked = viewOf(address)
  const others = known.map(viewOf)
  const met: Met = {
    address: others.some(({ normal }) => normal === asked.normal),
    domain: others.some(({ domain }) => domain === asked.domain),
  }
  const alike = memoized((domain: string) => domainImitates(asked.domain, domain, met.domain))
  let domainOnly: string | undefined
  for (const other of others) {
    if (other.normal === asked.normal) continue
    if (isAddressImitation(asked, other, met, alike)) return other.written
    if (alike(other.domain) || (!met.address && holdsDomain(asked.local, other.domain))) domainOnly ??= other.domain
  }
  return domainOnly
}

interface View {
  readonly written: string
  readonly normal: string
  /** Empty where it is only a domain. */
  readonly local: string
  readonly domain: string
}

/** Whether the very address, or somebody else at its domain, has been met before. */
interface Met {
  readonly address: boolean
  readonly domain: boolean
}

function viewOf(written: string): View {
  const at = written.lastIndexOf('@')
  if (at === -1) {
    const domain = normalDomain(written)
    return { written, normal: domain, local: '', domain }
  }
  const normal = normalAddress(written)
  const middle = normal.lastIndexOf('@')
  return { written, normal, local: normal.slice(0, middle), domain: normal.slice(middle + 1) }
}

function isAddressImitation(asked: View, other: View, met: Met, alike: (domain: string) => boolean): boolean {
  if (other.local === '') return false
  if (asked.domain === other.domain) return !met.address && isLocalImitation(asked.local, other.local)
  return alike(other.domain) && (asked.local === other.local || isLocalImitation(asked.local, other.local))
}

/** Shorter names differ by a letter for no reason. */
const LEAST_SLIPPED = 5

function isLocalImitation(local: string, known: string): boolean {
  if (local.includes('+') && beforePlus(local) === beforePlus(known)) return true
  if (shapeOf(local) === shapeOf(known)) return true
  return isSlip(local, known)
}

function beforePlus(local: string): string {
  return local.slice(0, (local.indexOf('+') + 1 || local.length + 1) - 1)
}

function isSlip(name: string, known: string): boolean {
  return Math.min(name.length, known.length) >= LEAST_SLIPPED && isOneSlipApart(name, known)
}

/** `ada.example.com@evil.example`, `"ada@example.com"@evil.example`. */
function holdsDomain(local: string, known: string): boolean {
  if (!known.includes('.')) return false
  const at = local.indexOf(known)
  return at !== -1 && !/[a-z0-9]/.test(local.charAt(at - 1)) && !/[a-z0-9]/.test(local.charAt(at + known.length))
}

/** Names of mail providers and the like under many endings, and words that everybody uses. */
const UNDER_MANY_ENDINGS = new Set(
  'aol freenet gmx hotmail icloud live mail outlook proton web yahoo yandex'.split(' '),
)
const LEAST_NAME = 4

function domainImitates(domain: string, known: string, isMet: boolean): boolean {
  if (!known.includes('.') || known.startsWith('[') || domain.startsWith('[')) return false
  const [own, target] = [registeredDomain(domain), registeredDomain(known)]
  if (own === target) return false
  if ([known, target].some((front) => standsInFront(front, domain))) return true
  const [name, suffix] = nameAndSuffix(own)
  const [knownName, knownSuffix] = nameAndSuffix(target)
  const sameSuffix = suffix === knownSuffix
  const sameShape = shapeOf(name) === shapeOf(knownName)
  if (name !== knownName && sameShape && (sameSuffix || knownName.length >= LEAST_NAME)) return true
  if (isMet) return false
  if (name === knownName) return name.length >= LEAST_NAME && !UNDER_MANY_ENDINGS.has(name)
  return (sameSuffix && isSlip(name, knownName)) || isAmongWords(name, knownName)
}

/** `example.com.evil.example`, `example.com-login.example`. */
function standsInFront(front: string, domain: string): boolean {
  return domain.startsWith(`${front}.`) || domain.startsWith(`${front}-`) || domain.includes(`.${front}.`)
}

/** `example-billing.com`. */
function isAmongWords(name: string, known: string): boolean {
  const words = name.split('-')
  return words.length > 1 && known.length >= LEAST_SLIPPED && words.some((word) => shapeOf(word) === shapeOf(known))
}

function nameAndSuffix(registered: string): [name: string, suffix: string] {
  const dot = registered.indexOf('.')
  const name = dot === -1 ? registered : registered.slice(0, dot)
  return [decodeLabel(name) ?? name, dot === -1 ? '' : registered.slice(dot)]
}

/** Of many known addresses most are at few domains. */
function memoized(judge: (text: string) => boolean): (text: string) => boolean {
  const judged = new Map<string, boolean>()
  return (text) => {
    const found = judged.get(text) ?? judge(text)
    judged.set(text, found)
    return found
  }
}
