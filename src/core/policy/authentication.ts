/**
 * Whether the receiving server vouches for the sender: DMARC passed for the one address in From.
 *
 * INVARIANT: only a report that the account's own server wrote counts. A sender can put any number of reports into a
 * message, but a server writes its own above them and removes those that use its name.
 */
import { parseAddresses } from '../mime/addresses.ts'
import { allFields, type HeaderField } from '../mime/header.ts'
import { domainIn, normalAddress, normalDomain } from './normal-form.ts'

export function isAuthenticated(header: readonly HeaderField[], authservId: string | undefined): boolean {
  const own = authservId === undefined ? receiver(header) : normalDomain(authservId)
  const domain = onlySender(header)
  if (own === '' || domain === '') return false
  const [report] = allFields(header, 'authentication-results').filter((value) => reporter(value) === own)
  return report !== undefined && vouches(report, domain)
}

/** The domain of the one address in From; empty where there is none, or another address beside it. */
function onlySender(header: readonly HeaderField[]): string {
  const [sender, ...others] = allFields(header, 'from').flatMap((value) => parseAddresses(value))
  return sender === undefined || others.length > 0 ? '' : domainIn(normalAddress(sender.address))
}

/** The host that the topmost Received field says took the message in; empty where it names more than one. */
function receiver(header: readonly HeaderField[]): string {
  const [topmost = ''] = allFields(header, 'received')
  const [host, ...others] = [...bare(topmost).matchAll(/(?<!\S)by\s+([a-z0-9.-]{1,255})/gi)].map(
    ([, name = '']) => name,
  )
  return host === undefined || others.length > 0 ? '' : normalDomain(host)
}

function reporter(report: string): string {
  return normalDomain(/^\s*([^\s;]{1,255})/.exec(bare(report))?.[1] ?? '')
}

function vouches(report: string, domain: string): boolean {
  const [, ...results] = bare(report).toLowerCase().split(';')
  const dmarc = results.map((result) => result.trim()).filter((result) => /^dmarc\s*(?:\/|=)/.test(result))
  const [verdict] = dmarc
  if (verdict === undefined || dmarc.length !== 1 || !/^dmarc[\s/0-9]*=\s*pass(\s|$)/.test(verdict)) return false
  const [about, ...others] = [...verdict.matchAll(/\sheader\.from\s*=\s*(\S{0,320})/g)].map(([, value = '']) => value)
  if (about === undefined) return true
  return others.length === 0 && normalDomain(about.slice(about.lastIndexOf('@') + 1)) === domain
}

/**
 * A structured field without its comments, and with nothing in its quoted strings that could be taken for the end of a
 * result: a sender has a say in both. Empty where one of them has no end.
 */
function bare(value: string): string {
  let depth = 0
  let quoted = false
  let plain = ''
  for (let at = 0; at < value.length; at += 1) {
    const char = value[at] ?? ''
    if (char === '\\' && (quoted || depth > 0)) at += 1
    else if (quoted) {
      if (char === '"') quoted = false
      else plain += /[\s;=]/.test(char) ? '_' : char
    } else if (char === '(') depth += 1
    else if (char === ')' && depth > 0) {
      depth -= 1
      plain += ' '
    } else if (depth === 0 && char === '"') quoted = true
    else if (depth === 0) plain += char
  }
  return quoted || depth > 0 ? '' : plain
}
