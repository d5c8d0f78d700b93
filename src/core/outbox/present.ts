/**
 * All of an outgoing message, for a person at a terminal or in a Markdown file: first what its recipients will not see, then the rest,
 * with what is hidden or fetched marked where it stands.
 *
 * INVARIANT: nothing that leaves is missing. Every line is empty or begins with four blanks, so that Markdown shows it as it is. After them stands a bar where the
 * line is of the message's text, a label of ours, a `!` with a remark of ours, or ten blanks where a line goes on; no line
 * is so wide that a terminal would break it. So nothing in a message can look like a line of ours or like front matter.
 */
import type { StrictAddress } from '../compose/strict-address.ts'
import { cut } from '../text/cut.ts'
import { countDeceptive } from '../text/deception.ts'
import { domainOf, isImitation } from '../text/domains.ts'
import { decodeLabel } from '../text/punycode.ts'
import type { OutboxEntry, RecipientMark } from './entry.ts'
import type { HtmlPiece, HtmlReview } from './html-review.ts'
import { textOfPlainHtml } from './plain-html.ts'
import { type AttachedFile, addressKey, type Sending } from './sending.ts'
import { labelOf, type OutgoingReview, reviewSending, type Unseen } from './unseen.ts'
import { broken, writeLineOut, writeOut } from './written-out.ts'

const MARGIN = '    '
const LABEL_WIDTH = 10
const WIDTH = 74
/** More empty lines than this are counted instead of shown. */
const MOST_EMPTY = 3

/** `html` is what was found in the HTML version. */
export function presentEntry(entry: OutboxEntry, html?: HtmlReview): string {
  return presentParts(entry, html).text
}

export interface PresentedParts {
  readonly review: OutgoingReview
  /** What recipients will not see; empty where they see all of it. */
  readonly unseen: string
  /** Who writes to whom, with what is odd about it. */
  readonly head: string
  /** What it says. */
  readonly body: string
  /** All of these. */
  readonly text: string
}

export function presentParts(entry: OutboxEntry, html?: HtmlReview): PresentedParts {
  const review = reviewSending(entry.sending, html)
  const [unseen, head, body] = [presentUnseen(review.unseen), presentHead(entry), presentText(entry, review)]
  return { review, unseen, head, body, text: [...(unseen === '' ? [] : [unseen, '']), head, '', body, ''].join('\n') }
}

/** More of one thing is only shown where it stands. */
const LONGEST_LISTED = 400
const MOST_LISTED = 200

function presentUnseen(unseen: readonly Unseen[]): string {
  if (unseen.length === 0) return ''
  const lines = unseen.slice(0, MOST_LISTED).map(({ what, text, count }) => {
    const short = cut(onOneLine(text), LONGEST_LISTED)
    const rest = short.truncated ? ` … (${text.length} characters, in full below)` : ''
    return `${what}: ${short.text}${rest}${count > 1 ? ` (${count} times)` : ''}`
  })
  const more = unseen.length > MOST_LISTED ? [`and ${unseen.length - MOST_LISTED} more, marked below`] : []
  return [...labelled('Hidden', UNSEEN_IS_SENT), ...remarks([...lines, ...more])].join('\n')
}

const UNSEEN_IS_SENT = 'recipients will not see the following. Approving the message sends it too:'

/** Who writes to whom about what, with what is odd about it. */
export function presentHead({ sending, marks }: OutboxEntry): string {
  const { from, to, cc, bcc, subject, html } = sending
  const own = domainOf(from.address)
  const people = (label: string, list: readonly StrictAddress[]): string[] =>
    list.flatMap((one) => [...labelled(label, person(one)), ...remarks(remarksOn(one, own, marks))])
  return [
    ...labelled('Account', `${sending.account}, ${askedBy(sending)}`),
    ...labelled('From', person(from)),
    ...remarks(readings(from)),
    ...people('To', to),
    ...people('Cc', cc),
    ...people('Bcc', bcc),
    ...labelled('Subject', subject),
    ...remarks([...(subject === '' ? ['it has no subject'] : []), ...disguises('the subject', subject)]),
    ...(sending.thread === undefined ? [] : labelled('Answers', `the conversation ${sending.thread.id}`)),
    ...sending.attachments.flatMap(attached),
    ...remarks(html === undefined ? [] : ['it has an HTML version as well, shown after its text']),
  ].join('\n')
}

function askedBy({ caller, version }: Sending): string {
  return version === undefined ? `asked for by ${caller}` : `a version of ${version.of}, made by ${version.by}`
}

/** What it says, in each of its versions. */
function presentText({ sending }: OutboxEntry, review: OutgoingReview): string {
  return [`${MARGIN}Text:`, ...body('the text', sending.text), ...htmlVersion(sending, review)].join('\n')
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
    ...(said.some(({ mark }) => mark === 'repeated') ? ['the very same message was sent to it within a day'] : []),
    ...(said.some(({ mark }) => mark === 'new') ? ['first message to this address'] : []),
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

function attached({ filename, type, size, digest }: AttachedFile): string[] {
  return [
    ...labelled('Attached', `${size} bytes of ${type}, SHA-256 ${digest}, named "${filename}"`),
    ...remarks(disguises('its name', filename)),
  ]
}

function disguises(what: string, text: string): string[] {
  const count = countDeceptive(text)
  return count === 0 ? [] : [`${what} has letters that look like others, in ${count} ${count === 1 ? 'word' : 'words'}`]
}

/** Its pieces in their order, then its source where it is more than a text. */
function htmlVersion({ html }: Sending, { html: review, isSameText }: OutgoingReview): string[] {
  if (html === undefined || review === undefined) return []
  const size = `a version of ${html.length} characters`
  const isPlain = textOfPlainHtml(html) !== undefined
  const isSaid = isSameText && review.pieces.every(({ kind }) => kind === 'text')
  return [
    '',
    ...labelled('HTML', isSameText ? `${size}, whose visible text is the same` : size),
    ...(isSameText ? [] : remarks(['its text is not the same; most recipients read this version:'])),
    ...(isSaid ? [] : review.pieces.flatMap(pieceLines)),
    ...(isPlain ? [] : ['', ...labelled('Source', 'all of the HTML version, as it is sent:'), ...body('it', html)]),
  ]
}

function pieceLines(piece: HtmlPiece): string[] {
  if (piece.kind === 'text') return piece.text.trim() === '' ? [] : body('it', piece.text.replace(/^\n+|\n+$/g, ''))
  return remarks([`${labelOf(piece)}: ${onOneLine(piece.text)}`])
}

/** Only what HTML folds: any other blank is written out. */
function onOneLine(text: string): string {
  return text.replace(/[ \t\n\r\f]+/g, ' ').replace(/^ | $/g, '')
}

function body(what: string, text: string): string[] {
  const { text: shown, numbers } = writeOut(text)
  const pieces = shown.split('\n').flatMap((line) => broken(line, WIDTH - MARGIN.length - 2))
  const unseen = `invisible characters are written as numbers: ${numbers}`
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
