/**
 * What a person is shown before approving, against what leaves.
 *
 * The bytes on the wire are taken apart here by a few lines of our own and by a real browser, never by the readers of `src/`.
 */
import fc from 'fast-check'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { requestText } from '../../src/adapters/vault/request.ts'
import { composeMessage } from '../../src/core/compose/compose.ts'
import type { OutboxEntry } from '../../src/core/outbox/entry.ts'
import { presentParts } from '../../src/core/outbox/present.ts'
import { sendingOf } from '../../src/core/outbox/sending-of.ts'
import { createLetters } from '../../src/engine/console/letters.ts'
import type { ShownLetter } from '../../src/engine/outbox/desk.ts'
import { shownLetter } from '../../src/surfaces/cli/letter-lines.ts'
import { launchBrowser } from '../console/page-browser.ts'
import { silentLog } from '../dovecot/silent-log.ts'

const signal = new AbortController().signal
const content = createContentReader(silentLog)
let browser: Browser
let page: Page

beforeAll(async () => {
  browser = await launchBrowser()
  page = await browser.newPage()
})
afterAll(async () => {
  await browser.close()
  await content.close()
})

interface Outgoing {
  readonly html: string
  readonly text: string
  readonly to: readonly string[]
  readonly bcc: readonly string[]
}

/** A message as it is queued, and its bytes. */
function queued({ html, text, to, bcc }: Outgoing): { readonly entry: OutboxEntry; readonly wire: string } {
  const letter = { to, cc: [], bcc, subject: 'Plans', body: text, html }
  const composed = composeMessage({
    ...{ letter, from: 'me@example.com', date: 0, uniqueName: 'unique-name', original: undefined },
    attachments: [{ filename: 'a.txt', type: 'text/plain', bytes: Buffer.from('attached') }],
  })
  const sending = sendingOf(composed, { caller: 'agent', account: 'work', thread: undefined }, () => 'ab'.repeat(32))
  const entry: OutboxEntry = {
    ...{ id: '260101-0123456789ab', digest: 'd'.repeat(64), sending, messageId: composed.messageId },
    ...{ bytesDigest: 'b', marks: [], created: 0, expires: 1, state: { kind: 'waiting' } },
  }
  return { entry, wire: Buffer.from(composed.bytes).toString('latin1') }
}

/** What each of the three places shows beside the source of the HTML, which holds everything, but not as it is read. */
async function screens(entry: OutboxEntry): Promise<Readonly<Record<string, string>>> {
  const { html } = entry.sending
  const parts = presentParts(entry, html === undefined ? undefined : await content.review(html, signal))
  const shown: ShownLetter = { entry, ...parts, readers: [], unknownReaders: false }
  const detail = await createLetters({ show: async () => shown } as never).show(entry.id, signal)
  const { presented: _, html: version, ...rest } = detail
  return {
    terminal: withoutSource(shownLetter(shown, 0)),
    vault: withoutSource(requestText(entry, parts.text)),
    console: [...strings(rest), ...strings(version?.pieces)].join('\n'),
  }
}

/** The source begins with its label and ends with the text, or with an empty line. */
function withoutSource(text: string): string {
  const start = text.indexOf('Source:   all of the HTML version')
  if (start === -1) return text
  const end = text.slice(start).search(/\n *\n/)
  return text.slice(0, start) + (end === -1 ? '' : text.slice(start + end))
}

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : []
}

/** Blanks, margins and how invisible characters are written make no difference. */
function bare(text: string): string {
  const read = text.replace(/\[U\+([0-9A-F]{4,6})\]/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  )
  return read.replace(/[\s|>]/gu, '')
}

/** Of our own messages: one part with that type, quoted-printable, base64 or as it is. */
function partOf(wire: string, type: string): string {
  const [, head = '', body = ''] =
    wire
      .split(/\r\n--[^\r\n]+/)
      .map((part) => /^(?:\r\n)?([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(part))
      .find((part) => part?.[1]?.includes(`Content-Type: ${type}`)) ?? []
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString()
  if (!/quoted-printable/i.test(head)) return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

interface Held {
  readonly texts: readonly string[]
  readonly comments: readonly string[]
  readonly addresses: readonly string[]
}

/** What a browser finds in the HTML. */
function heldBy(html: string): Promise<Held> {
  return page.evaluate((source) => {
    const held = { texts: [] as string[], comments: [] as string[], addresses: [] as string[] }
    const urls = /(?:https?:)?\/\/[^\s"'()<>,;]+/g
    const visit = (node: Node): void => {
      if (node.nodeType === Node.TEXT_NODE) held.texts.push(node.nodeValue ?? '')
      if (node.nodeType === Node.TEXT_NODE) held.addresses.push(...((node.nodeValue ?? '').match(urls) ?? []))
      if (node.nodeType === Node.COMMENT_NODE) held.comments.push(node.nodeValue ?? '')
      if (node instanceof Element) {
        for (const { value } of node.attributes) held.addresses.push(...(value.match(urls) ?? []))
      }
      if (node instanceof HTMLTemplateElement) node.content.childNodes.forEach(visit)
      node.childNodes.forEach(visit)
    }
    visit(new DOMParser().parseFromString(source, 'text/html'))
    return held
  }, html)
}

async function missing(outgoing: Outgoing): Promise<readonly string[]> {
  const { entry, wire } = queued(outgoing)
  const held = await heldBy(partOf(wire, 'text/html'))
  const named = [...(wire.split('\r\n\r\n')[0] ?? '').matchAll(/[\w.+-]+@[\w.-]+/g)]
    .map(([address]) => address)
    .filter((address) => !entry.messageId.includes(address))
  const texts = [...held.texts, ...held.comments, partOf(wire, 'text/plain')]
  const words = [...texts.flatMap((text) => text.split(/\s+/)), ...held.addresses, ...named, ...outgoing.bcc]
  const shown = Object.entries(await screens(entry)).map(([place, text]) => [place, bare(text)] as const)
  return words.flatMap((word) => {
    const wanted = bare(word)
    return shown.filter(([, text]) => !text.includes(wanted)).map(([place]) => `${place}: ${word}`)
  })
}

const WORD = fc.stringMatching(/^[a-z]{3,8}\d{2}$/)
const TEXT = fc.oneof(
  WORD.map((word) => ` ${word} `),
  WORD.map((word) => ` ${[...word].map((letter) => `&#${letter.charCodeAt(0)};`).join('')} `),
  WORD.map((word) => ` &lt;${word}&gt; &eacute;${word} &amp;${word} `),
  WORD.map((word) => ` ${word.slice(0, 3)}\u200b${word.slice(3)} `),
  fc.constantFrom(' < ', ' <3 ', ' & ', ' ]]> ', ' \u202e ', '\n\n', ' <!- '),
)
const ADDRESS = WORD.chain((word) =>
  fc.constantFrom(`https://${word}.example/a?b=${word}`, `//${word}.example/p`, `http&#58;//${word}.example/`),
)
const HIDING = fc.constantFrom(
  'style="display:none"',
  'style="font-size:1px;color:#fff"',
  'style="opacity:0"',
  'hidden',
  'style="position:absolute;left:-9999px"',
  'class="x"',
  '',
)
const TELLING = fc
  .tuple(
    fc.constantFrom('title', 'alt', 'aria-label', 'data-x', 'placeholder', 'summary', 'onclick', 'class'),
    TEXT,
    ADDRESS,
  )
  .map(([name, text, address]) => `${name}="${text.replaceAll('"', '')}${address}"`)
const LOADING = fc.oneof(
  ADDRESS.map((address) => `<img width=1 height=1 src="${address}">`),
  fc.tuple(ADDRESS, ADDRESS).map(([one, two]) => `<img srcset="${one} 1x, ${two} 2x" alt=''>`),
  ADDRESS.map(
    (address) => `<table background='${address}'><tr><td style="background:url(${address})"> x </td></tr></table>`,
  ),
  ADDRESS.map((address) => `<link rel=stylesheet href=${address}>`),
  ADDRESS.map((address) => `<meta http-equiv="refresh" content="0; url=${address}">`),
  ADDRESS.map(
    (address) =>
      `<form action="${address}"><input type=hidden name=a value="${address}"><button formaction="${address}">go</button></form>`,
  ),
  ADDRESS.map(
    (address) => `<iframe src="${address}"></iframe><video poster="${address}"><source src="${address}"></video>`,
  ),
  ADDRESS.map((address) => `<svg><image xlink:href="${address}"/><text> ${address} </text></svg>`),
)
const LEAF = fc.oneof(
  { weight: 4, arbitrary: TEXT },
  { weight: 3, arbitrary: LOADING },
  TEXT.map((text) => `<!--${text}-->`),
  WORD.map((word) => `<!--[if mso]><p>${word}</p><![endif]-->`),
  WORD.map((word) => `<!bogus ${word}>`),
  WORD.map((word) => `<style>.x{display:none} p::before{content:" ${word} "} /* ${word} */</style>`),
  ADDRESS.map((address) => `<style>@import "${address.replaceAll('&#58;', ':')}";</style>`),
  WORD.map((word) => `<script>var a = " ${word} "</script>`),
  WORD.map((word) => `<title> ${word} </title><noscript> ${word} </noscript><template><b> ${word} </b></template>`),
  WORD.map((word) => `<textarea> ${word} </textarea><select><option> ${word} <option> ${word}2 </select>`),
)
const TAG = fc.constantFrom(
  ...'div p span b a td table tr ul li font h1 center details blockquote pre button svg math'.split(' '),
)
const { html: HTML } = fc.letrec<{ html: string }>((tie) => ({
  html: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    LEAF,
    fc.array(tie('html'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
    fc
      .tuple(TAG, HIDING, TELLING, ADDRESS, tie('html'), fc.boolean())
      .map(
        ([tag, hiding, telling, address, inner, ends]) =>
          `<${tag} ${hiding} ${telling} href="${address}">${inner}${ends ? `</${tag}>` : ''}`,
      ),
  ),
}))

test('nothing that leaves is missing on the screen, the terminal or in the file of the vault', async () => {
  const people = fc.array(fc.stringMatching(/^[a-z]{2,8}@[a-z]{2,8}\.example$/), { minLength: 1, maxLength: 3 })
  const outgoing = fc.record({
    html: HTML,
    text: fc.array(WORD).map((words) => words.join(' ')),
    to: people,
    bcc: people,
  })
  await fc.assert(
    fc.asyncProperty(outgoing, async (one) => {
      expect(await missing(one)).toEqual([])
    }),
    { numRuns: 150 },
  )
})

const TRICK =
  '<p>Dear Rosa, see <a href="https://good.example/offer">the offer</a>.</p>' +
  '<p style="font-size:1px;color:#fff">account 4711 is open until Friday</p>' +
  '<img src="https://tracker.example/pixel?id=7" width="1" height="1" alt="">' +
  '<!-- remember the password -->'

test('hidden text, loads and comments are listed first, and marked where they stand', async () => {
  const { entry } = queued({
    html: TRICK,
    text: 'Dear Rosa, see the offer.',
    to: ['rosa@river.example'],
    bcc: ['b@x.example'],
  })
  const { review, text } = presentParts(entry, await content.review(TRICK, signal))
  expect(review.unseen).toEqual([
    { what: 'hidden text', text: 'account 4711 is open until Friday', count: 1 },
    { what: 'loads when opened, img src', text: 'https://tracker.example/pixel?id=7', count: 1 },
    { what: 'comment', text: ' remember the password ', count: 1 },
  ])
  expect(text.split('\n').slice(0, 6)).toEqual([
    '    Hidden:   recipients will not see the following. Approving the',
    '              message sends it too:',
    '    !         hidden text: account 4711 is open until Friday',
    '    !         loads when opened, img src:',
    '              https://tracker.example/pixel?id=7',
    '    !         comment: remember the password',
  ])
  const html = text.slice(text.indexOf('HTML:'))
  expect(html.indexOf('Dear Rosa')).toBeLessThan(html.indexOf('link to, a href:'))
  expect(html.indexOf('good.example')).toBeLessThan(html.indexOf('hidden text: account 4711'))
  expect(html.indexOf('hidden text: account 4711')).toBeLessThan(html.indexOf('loads when opened'))
  expect(text).not.toMatch(/removed|left out/)
})
