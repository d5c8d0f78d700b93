/**
 * Whether the receiving server vouches for the sender: DMARC passed for the one address in From.
 *
 * INVARIANT: only a report that the account's own server wrote counts. A sender can put any number of reports into a
 * message, but a server writes its own above them and removes those that use its name.
 */
import { allFields, type HeaderField } from '../mime/header.ts'
import { domainIn, normalDomain } from './normal-form.ts'
import { readSenders, type Senders } from './senders.ts'

/** `senders` are those of the same header, where they have been read already. */
export function isAuthenticated(
  header: readonly HeaderField[],
  authservId: string | undefined,
  senders: Senders = readSenders(header),
): boolean {
  const reports = allFields(header, 'authentication-results').map(bare)
  const own = authservId === undefined ? receiver(header, reports) : normalDomain(authservId)
  const domain = onlySender(senders)
  if (own === '' || domain === '') return false
  const [report] = reports.filter((value) => reporter(value) === own)
  return report !== undefined && vouches(report, domain)
}

/** The domain of the one address in From; empty where there is none, or where it could be read as another one too. */
function onlySender({ written, addresses }: Senders): string {
  const [sender, ...others] = addresses
  return sender === undefined || others.length > 0 || written !== 1 ? '' : domainIn(sender)
}

/**
 * The host that the topmost Received field says took the message in; empty where that is in doubt. What came by mail has
 * such a field: without any it was put here by whoever may write to the mailbox, and the topmost report is theirs.
 */
function receiver(header: readonly HeaderField[], [topmost = '']: readonly string[]): string {
  const [received] = allFields(header, 'received')
  return received === undefined
    ? reporter(topmost)
    : hostIn(
        bare(received)
          .toLowerCase()
          .match(/[^\s;]+/g) ?? [],
      )
}

/** `from <what the sender calls itself> … by <host> …`: the sender's own word must not be taken for ours. */
function hostIn(words: readonly string[]): string {
  const [first, itself, ...after] = words
  if (first === 'from' && itself === 'by') return ''
  const rest = first === 'from' ? after : words
  const [place, ...others] = rest.flatMap((word, at) => (word === 'by' ? [at] : []))
  const host = place === undefined || others.length > 0 ? '' : (rest[place + 1] ?? '')
  return HOST.test(host) ? normalDomain(host) : ''
}

const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+\.?$/

function reporter(report: string): string {
  return normalDomain(/^\s*([^\s;]{1,255})/.exec(report)?.[1] ?? '')
}

function vouches(report: string, domain: string): boolean {
  const [, ...results] = report.toLowerCase().split(';')
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
  if (!value.includes('(') && !value.includes('"')) return value
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
