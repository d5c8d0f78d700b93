/** X-GM-RAW: the words of Gmail's own search box, as far as tests need them. */
import { fieldOf, parseMessage } from './mime.ts'
import { SPAM, STARRED, TRASH } from './names.ts'
import type { Message } from './store.ts'
import { hasPhrase, headerText, wholeText } from './words.ts'

type Test = (message: Message) => boolean

const TERM = /(-?)(?:([a-z0-9]+):)?(?:"([^"]*)"|(\S+))/gi

/** All terms must hold. */
export function rawQuery(query: string): Test {
  const terms = [...query.matchAll(TERM)].map(([, minus, operator, quoted, bare]) => {
    const test = term((operator ?? '').toLowerCase(), quoted ?? bare ?? '')
    return minus === '-' ? (message: Message) => !test(message) : test
  })
  return (message) => terms.every((test) => test(message))
}

function term(operator: string, value: string): Test {
  const lower = value.toLowerCase()
  switch (operator) {
    case 'rfc822msgid':
      return ({ raw }) => bare(fieldOf(parseMessage(raw).header, 'message-id') ?? '') === bare(value)
    case 'from':
    case 'to':
    case 'cc':
    case 'subject':
      return (message) => hasPhrase(headerText(message, operator), value)
    case 'label':
    case 'in':
      return ({ labels }) => lower === 'anywhere' || [...labels].some((label) => dashed(label) === dashed(value))
    case 'is':
      return IS[lower] ?? (() => false)
    case 'has':
      return ({ raw }) => lower === 'attachment' && /^content-disposition:\s*attachment/im.test(raw.toString('latin1'))
    case 'after':
      return ({ received }) => received >= moment(value)
    case 'before':
      return ({ received }) => received < moment(value)
    default:
      return (message) => hasPhrase(wholeText(message), operator === '' ? value : `${operator} ${value}`)
  }
}

const IS: Readonly<Record<string, Test>> = {
  unread: ({ flags }) => !flags.has('\\Seen'),
  read: ({ flags }) => flags.has('\\Seen'),
  starred: ({ labels }) => labels.has(STARRED),
  important: ({ labels }) => labels.has('\\Important'),
  trash: ({ labels }) => labels.has(TRASH),
  spam: ({ labels }) => labels.has(SPAM),
}

function dashed(label: string): string {
  return label.replace(/^\\/, '').toLowerCase().replace(/[ /]/g, '-')
}

function bare(id: string): string {
  return id.replace(/^<|>$/g, '')
}

/** Seconds since 1970, or a day as `2024/01/31`. */
function moment(value: string): number {
  return /^[0-9]{5,}$/.test(value) ? Number(value) : Date.parse(`${value.replaceAll('/', '-')}T00:00:00Z`) / 1000
}
