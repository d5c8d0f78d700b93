/**
 * A letter of the outbox as whoever gets it will see it, for a person at a terminal or in a Markdown file.
 *
 * INVARIANT: every line is empty or begins with four blanks, so that Markdown shows it as it is. After them stands a bar where the
 * line is of the letter's text, a label of ours, a `!` with a remark of ours, or ten blanks where a line goes on; no line
 * is so wide that a terminal would break it. So nothing in a letter can look like a line of ours or like front matter.
 */
import type { StrictAddress } from '../compose/strict-address.ts'
import { countDeceptive } from '../text/deception.ts'
import { domainOf, isImitation } from '../text/domains.ts'
import { decodeLabel } from '../text/punycode.ts'
import type { OutboxEntry, RecipientMark } from './entry.ts'
import { textOfPlainHtml } from './plain-html.ts'
import { type AttachedFile, addressKey, type Sending } from './sending.ts'
import { broken, writeLineOut, writeOut } from './written-out.ts'

const MARGIN = '    '
const LABEL_WIDTH = 10
const WIDTH = 74
/** More empty lines than this are counted instead of shown. */
const MOST_EMPTY = 3

/** `htmlText` is what is seen of the HTML version, where somebody has read it. */
export function presentEntry(entry: OutboxEntry, htmlText?: string): string {
  return [presentHead(entry), '', presentText(entry, htmlText), ''].join('\n')
}

/** Who writes to whom about what, with what is odd about it. */
export function presentHead({ sending, marks }: OutboxEntry): string {
  const { from, to, cc, bcc, subject, html } = sending
  const own = domainOf(from.address)
  const people = (label: string, list: readonly StrictAddress[]): string[] =>
    list.flatMap((one) => [...labelled(label, person(one)), ...remarks(remarksOn(one, own, marks))])
  return [
    ...labelled('Account', `${sending.account}, asked for by ${sending.caller}`),
    ...labelled('From', person(from)),
    ...remarks(readings(from)),
    ...people('To', to),
    ...people('Cc', cc),
    ...people('Bcc', bcc),
    ...labelled('Subject', subject),
    ...remarks([...(subject === '' ? ['it has no subject'] : []), ...disguises('the subject', subject)]),
    ...(sending.thread === undefined ? [] : labelled('Answers', `the conversation ${sending.thread.id}`)),
    ...sending.attachments.flatMap(attached),
    ...remarks(html === undefined ? [] : ['it has an HTML version as well, after its text']),
  ].join('\n')
}

/** What it says, in each of its versions. */
export function presentText({ sending }: OutboxEntry, htmlText?: string): string {
  const lines = [`${MARGIN}Text:`, ...body('the text', sending.text), ...htmlVersion(sending, htmlText)]
  return lines.join('\n')
}

/** The address first: a name may be long and say anything. */
function person({ name, address }: StrictAddress): string {
  return name === '' ? address : `${address}, shown as "${name}"`
}

function remarksOn(one: StrictAddress, own: string, marks: readonly RecipientMark[]): string[] {
  const key = addressKey(one.address)
  const said = marks.filter(({ address }) => addressKey(address) === key)
  const alike = said.filter(({ mark }) => mark === 'look_alike')
  const imitates = alike.length === 0 && isImitation(domainOf(one.address), [own])
  return [
    ...(said.some(({ mark }) => mark === 'repeated') ? ['the very same letter has gone to it within a day'] : []),
    ...(said.some(({ mark }) => mark === 'new') ? ['new: nobody has written to this address from here before'] : []),
    ...alike.map(({ like }) => (like === undefined ? 'looks like another address' : `looks like ${like}, but is not`)),
    ...(imitates ? ['its domain is made to look like another'] : []),
    ...readings(one),
  ]
}

/** What its domain says in letters of other alphabets, and what its name pretends. */
function readings({ name, address }: StrictAddress): string[] {
  const domain = domainOf(address)
  const labels = domain.split('.').map((label) => decodeLabel(label) ?? label)
  const read = labels.join('.')
  const claims = /[@<>]/.test(name.normalize('NFKC')) && name.toLowerCase() !== address.toLowerCase()
  return [
    ...(read === domain ? [] : [`its domain ${domain} reads ${read}`]),
    ...(claims ? ['its name is made to look like an address'] : []),
    ...disguises('its name', name),
  ]
}

function attached({ filename, type, size }: AttachedFile): string[] {
  return [
    ...labelled('Attached', `${size} bytes of ${type}, named "${filename}"`),
    ...remarks(disguises('its name', filename)),
  ]
}

function disguises(what: string, text: string): string[] {
  const count = countDeceptive(text)
  return count === 0 ? [] : [`${what} has letters that look like others, in ${count} ${count === 1 ? 'word' : 'words'}`]
}

/** What is no mere text is shown as it is written: it may hold what nobody sees, and carry it to whoever it is fetched from. */
function htmlVersion({ html, text }: Sending, htmlText: string | undefined): string[] {
  if (html === undefined) return []
  const size = `a version of ${html.length} characters`
  const plain = textOfPlainHtml(html)
  const says = plain ?? htmlText
  const isSame = says !== undefined && isSameText(says, text)
  if (isSame && plain !== undefined) return ['', ...labelled('HTML', `${size}, whose text is the same`)]
  return [
    '',
    ...labelled('HTML', size),
    ...(says === undefined || isSame
      ? []
      : [...remarks(['its text is not the same; most people will read this one:']), ...body('it', says)]),
    ...(plain === undefined ? [...remarks([MORE_THAN_TEXT]), ...body('it', html)] : []),
  ]
}

const MORE_THAN_TEXT =
  'it is more than a text: what nobody sees in it is sent as well, and opening it may tell others. All of it, as it is written:'

/** How lines are broken, and how a quotation is marked, makes no difference. */
export function isSameText(one: string, other: string): boolean {
  return essence(one) === essence(other)
}

function essence(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/^[> ]+/, ''))
    .join(' ')
    .replace(/\s+/gu, ' ')
    .trim()
}

function body(what: string, text: string): string[] {
  const { text: shown, numbers } = writeOut(text)
  const pieces = shown.split('\n').flatMap((line) => broken(line, WIDTH - MARGIN.length - 2))
  const unseen = `characters that nobody would see are written as numbers: ${numbers}`
  return [
    ...remarks([...disguises(what, text), ...(numbers === 0 ? [] : [unseen])]),
    ...withoutFloods(pieces.map((piece) => piece.trimEnd())).map((line) => `${MARGIN}${line}`.trimEnd()),
  ]
}

function withoutFloods(lines: readonly string[]): string[] {
  const shown: string[] = []
  let empty = 0
  for (const line of [...lines, undefined]) {
    if (line === '') {
      empty++
      continue
    }
    shown.push(...(empty > MOST_EMPTY ? remark(`${empty} empty lines`) : Array<string>(empty).fill('|')))
    empty = 0
    if (line !== undefined) shown.push(`| ${line}`)
  }
  return shown
}

function labelled(label: string, text: string): string[] {
  return withMargin(inFront(`${label}:`, writeLineOut(text)))
}

function remarks(list: readonly string[]): string[] {
  return withMargin(list.flatMap(remark))
}

function remark(text: string): string[] {
  return inFront('!', writeLineOut(text))
}

function inFront(label: string, text: string): string[] {
  const [first = '', ...more] = broken(text, WIDTH - MARGIN.length - LABEL_WIDTH)
  const rest = more.filter((piece) => piece.trim() !== '').map((piece) => ' '.repeat(LABEL_WIDTH) + piece)
  return [label.padEnd(LABEL_WIDTH) + first, ...rest].map((line) => line.trimEnd())
}

function withMargin(lines: readonly string[]): string[] {
  return lines.map((line) => `${MARGIN}${line}`)
}
