/**
 * The policy once more, as simply as it can be said: straight from its description, with no preparation and no short
 * cuts. Shares with the engine only the reading of addresses and encoded words.
 */
import { domainToASCII } from 'node:url'
import { parseAddresses } from '../../../src/core/mime/addresses.ts'
import { decodeUnstructured } from '../../../src/core/mime/header.ts'
import { LEVELS, type Level } from '../../../src/core/policy/level.ts'
import { sendersIn } from '../../../src/core/policy/senders.ts'

/** Values as an operator writes them. */
export interface PlainRule {
  readonly match: Readonly<Record<string, unknown>>
  readonly level: Level
}

export interface PlainFolder {
  readonly path: string
  readonly mode: 'whitelist' | 'blacklist'
  readonly default: Level
  readonly rules: readonly PlainRule[]
}

export type PlainPolicy = Readonly<Record<string, readonly PlainFolder[]>>

export interface PlainMessage {
  readonly fields: readonly { readonly name: string; readonly value: string }[]
  readonly flags: readonly string[]
  readonly size: number
  readonly date: number
  /** Undefined where the server did not tell. */
  readonly attached: boolean | undefined
}

export interface Surroundings {
  readonly now: number
  readonly authserv: string | undefined
}

export interface PlainVerdict {
  readonly level: Level
  readonly reason: string
}

class CannotEvaluate extends Error {}

export function naiveVerdict(
  policy: PlainPolicy,
  account: string,
  path: string,
  message: PlainMessage,
  around: Surroundings,
): PlainVerdict {
  const folders = Object.hasOwn(policy, account) ? policy[account] : undefined
  if (folders === undefined) return { level: 'NONE', reason: 'account_hidden' }
  const folder = naiveFolder(folders, path)
  if (folder === undefined) return { level: 'NONE', reason: 'folder_hidden' }
  return naiveFolderVerdict(folder, message, around)
}

function naiveFolderVerdict(folder: PlainFolder, message: PlainMessage, around: Surroundings): PlainVerdict {
  const denied = folder.mode === 'whitelist' ? 'sender_not_whitelisted' : 'sender_blacklisted'
  let rank = folder.mode === 'whitelist' ? 0 : LEVELS.indexOf(folder.default)
  let anyMatched = false
  for (const rule of folder.rules) {
    let matches: boolean
    try {
      matches = naiveMatch(rule.match, folder.mode === 'whitelist', message, around)
    } catch (error) {
      if (error instanceof CannotEvaluate) return { level: 'NONE', reason: denied }
      throw error
    }
    if (!matches) continue
    anyMatched = true
    const its = LEVELS.indexOf(rule.level)
    if (folder.mode === 'whitelist' && its > rank) rank = its
    if (folder.mode === 'blacklist' && its < rank) rank = its
  }
  const level = LEVELS[rank] as Level
  if (level === 'NONE') return { level, reason: denied }
  return { level, reason: anyMatched ? 'rule_matched' : 'folder_default_applied' }
}

/** The folder definition that speaks of a path. */
function naiveFolder(folders: readonly PlainFolder[], path: string): PlainFolder | undefined {
  const wanted = levelsOf(path)
  let best: PlainFolder | undefined
  let bestScore = -1
  for (const folder of folders) {
    const parts = levelsOf(folder.path)
    const last = parts.at(-1)
    const stem = last === '*' || last === '**' ? parts.slice(0, -1) : parts
    let agrees = wanted.length >= stem.length
    for (let at = 0; at < stem.length; at += 1) if (stem[at] !== wanted[at]) agrees = false
    const below = wanted.slice(stem.length).join('/')
    if (last === '*') agrees = agrees && wanted.length === stem.length + 1 && below !== ''
    else if (last === '**') agrees = agrees && wanted.length > stem.length && below !== ''
    else agrees = agrees && wanted.length === stem.length
    const score = last === '**' ? stem.length * 3 : last === '*' ? stem.length * 3 + 1 : stem.length * 3 + 2
    if (agrees && score > bestScore) {
      best = folder
      bestScore = score
    }
  }
  return best
}

function levelsOf(path: string): string[] {
  const levels = path.normalize('NFC').split('/')
  if (levels[0]?.toUpperCase() === 'INBOX') levels[0] = 'INBOX'
  return levels
}

function naiveMatch(match: PlainRule['match'], isGrant: boolean, message: PlainMessage, around: Surroundings): boolean {
  let result = true
  for (const [name, value] of Object.entries(match)) {
    if (!naivePredicate(name, value, isGrant, message, around)) result = false
  }
  return result
}

function naivePredicate(
  name: string,
  value: unknown,
  isGrant: boolean,
  message: PlainMessage,
  { now, authserv }: Surroundings,
): boolean {
  const age = now - message.date
  switch (name) {
    case 'from':
      return quantified(isGrant, senders(message), (sender) => sender === address(String(value)))
    case 'from_domain':
      return quantified(isGrant, senders(message), (sender) => {
        return sender.includes('@') && sender.split('@').at(-1) === domain(String(value))
      })
    case 'to':
      return quantified(false, recipients(message), (to) => to === address(String(value)))
    case 'to_contains':
      return quantified(false, recipients(message), (to) => fold(to).includes(fold(String(value))))
    case 'subject_contains':
      return quantified(isGrant, valuesOf(message, 'subject'), (subject) => {
        return fold(decodeUnstructured(subject)).includes(fold(String(value)))
      })
    case 'has_attachment':
      if (message.attached === undefined) throw new CannotEvaluate()
      return message.attached === value
    case 'newer_than':
      return age < seconds(String(value))
    case 'older_than':
      return age > seconds(String(value))
    case 'size_gt':
      return message.size > Number(value)
    case 'size_lt':
      return message.size < Number(value)
    case 'flagged': {
      let flagged = false
      for (const flag of message.flags) if (flag.toUpperCase() === '\\FLAGGED') flagged = true
      return flagged === value
    }
    case 'authenticated':
      return vouchedFor(message, authserv)
    default:
      throw new CannotEvaluate()
  }
}

function quantified(all: boolean, values: readonly string[], test: (value: string) => boolean): boolean {
  let some = false
  let every = true
  for (const value of values) {
    if (test(value)) some = true
    else every = false
  }
  return all ? some && every : some
}

function valuesOf({ fields }: PlainMessage, name: string): string[] {
  const values: string[] = []
  for (const field of fields) if (field.name.toLowerCase() === name) values.push(field.value)
  return values
}

function people(message: PlainMessage, name: string): string[] {
  const found: string[] = []
  for (const value of valuesOf(message, name)) {
    for (const person of parseAddresses(value)) found.push(address(person.address))
  }
  return found
}

/** A field that can be read in two ways counts in both. */
function senders(message: PlainMessage): string[] {
  return sendersIn(message.fields)
}

function recipients(message: PlainMessage): string[] {
  return [...people(message, 'to'), ...people(message, 'cc')]
}

function address(written: string): string {
  const pieces = written.split('@')
  if (pieces.length === 1) return written.trim().toLowerCase().normalize('NFC')
  const host = pieces.pop() ?? ''
  let local = pieces.join('@').trim().toLowerCase().normalize('NFC')
  if (local.length > 2 && local.startsWith('"') && local.endsWith('"')) {
    const inner = local.slice(1, -1).replace(/\\(.)/gu, '$1')
    if (/^[^\s"\\@(),:;<>[\]]+$/.test(inner)) local = inner
  }
  return `${local}@${domain(host)}`
}

function domain(written: string): string {
  let host = written.trim().toLowerCase()
  while (/[.\s]$/.test(host)) host = host.slice(0, -1)
  if (/^[!-~]*$/.test(host) || !/^[\p{L}\p{M}\p{N}._\u3002-]+$/u.test(host)) return host.normalize('NFC')
  let ascii = domainToASCII(host) || host.normalize('NFC')
  while (ascii.endsWith('.')) ascii = ascii.slice(0, -1)
  return ascii
}

function fold(text: string): string {
  let seen = ''
  for (const character of text) if (!/[\p{DI}\p{Co}\p{Cs}\u2800\ufff9-\ufffb]/u.test(character)) seen += character
  return seen
    .replace(/[^\P{Cc}\s]/gu, '')
    .split(/\s+/u)
    .join(' ')
    .normalize('NFC')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/ς/g, 'σ')
    .normalize('NFC')
}

function seconds(age: string): number {
  const count = Number.parseInt(age, 10)
  switch (age.at(-1)) {
    case 's':
      return count
    case 'm':
      return count * 60
    case 'h':
      return count * 60 * 60
    case 'd':
      return count * 24 * 60 * 60
    case 'w':
      return count * 7 * 24 * 60 * 60
    case 'y':
      return count * 365 * 24 * 60 * 60
    default:
      throw new CannotEvaluate()
  }
}

/** DMARC passed, says the topmost report of the server that received the message, about its only sender. */
function vouchedFor(message: PlainMessage, authserv: string | undefined): boolean {
  const [sender = '', ...others] = new Set(senders(message))
  if (people(message, 'from').length !== 1 || others.length > 0 || !sender.includes('@')) return false
  const host = sender.split('@').at(-1) ?? ''
  const own = authserv ?? receiverOf(message)
  if (host === '' || own === '') return false
  for (const value of valuesOf(message, 'authentication-results')) {
    const [id = '', ...results] = pieces(value)
    if (domain(id.trim().split(/\s/)[0] ?? '') !== domain(own)) continue
    const dmarc = results
      .map((result) =>
        result
          .toLowerCase()
          .replace(/\s*([=/])\s*/g, '$1')
          .trim()
          .split(/\s+/),
      )
      .filter(([method = '']) => method.startsWith('dmarc=') || method.startsWith('dmarc/'))
    const [first = []] = dmarc
    if (dmarc.length !== 1 || first[0]?.split('=')[1] !== 'pass') return false
    const about = first.slice(1).filter((property) => property.startsWith('header.from='))
    if (about.length === 0) return true
    return about.length === 1 && domain(about[0]?.slice('header.from='.length).split('@').at(-1) ?? '') === host
  }
  return false
}

function receiverOf(message: PlainMessage): string {
  const [topmost] = valuesOf(message, 'received')
  if (topmost === undefined)
    return (
      pieces(valuesOf(message, 'authentication-results')[0] ?? '')[0]
        ?.trim()
        .split(/\s/)[0] ?? ''
    )
  const words = pieces(topmost)
    .join(' ')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words[0] === 'from') {
    words.shift()
    if (words.shift() === 'by') return ''
  }
  if (words.filter((word) => word === 'by').length !== 1) return ''
  const host = words[words.indexOf('by') + 1] ?? ''
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+\.?$/.test(host) ? domain(host) : ''
}

/** A structured field, split at its semicolons: without comments, and with quoted strings as one word. */
function pieces(value: string): string[] {
  const found: string[] = []
  let piece = ''
  let rest = value
  while (rest !== '') {
    const comment = rest.startsWith('(') ? commentAt(rest) : 0
    const quoted = /^"((?:[^"\\]|\\[\s\S])*)"/.exec(rest)
    if ((rest.startsWith('(') && comment === 0) || (rest.startsWith('"') && quoted === null)) return []
    if (comment > 0) piece += ' '
    else if (quoted !== null) piece += (quoted[1] ?? '').replace(/\\[\s\S]/g, '').replace(/[\s;=]/g, '_')
    else if (rest.startsWith(';')) {
      found.push(piece)
      piece = ''
    } else piece += rest.charAt(0)
    rest = rest.slice(comment > 0 ? comment : (quoted?.[0].length ?? 1))
  }
  return [...found, piece]
}

/** The length of the comment that a text begins with; 0 where there is no end to it. */
function commentAt(text: string): number {
  let open = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '(') open += 1
    else if (text[at] === ')') open -= 1
    if (open === 0) return at + 1
  }
  return 0
}
