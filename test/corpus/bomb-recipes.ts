/**
 * Whole messages after every recipe of `generated_bombs.json` that a message can be made of, in the sizes given there.
 *
 * INVARIANT: nothing is built before it is asked for: the largest has 73 MB.
 */
import { BODY_BOMBS, PDF_BOMBS } from './bombs.ts'
import { ZIP_BOMBS } from './zip-bombs.ts'

export interface BombMail {
  /** Recipe and size: `nest-rfc822 1000`. */
  readonly id: string
  /** What the recipe is about, where there is more to ask for than the text. */
  readonly about?: 'html' | 'pdf' | 'header'
  make(): Uint8Array
}

const many = (count: number, piece: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => piece(index)).join('')

const ADDRESSES = 'From: Bomber <bomber@example.org>\r\nTo: Ada <ada@example.org>\r\n'

/** A message with these fields; `To` and `From` come from the recipe where it is about them. */
function mail(id: string, fields: string, body: string, about?: BombMail['about']): BombMail {
  const own = /^(?:to|from):/i.test(fields) ? '' : ADDRESSES
  const make = (): Uint8Array =>
    Buffer.from(`${own}Subject: bomb ${id}\r\nMIME-Version: 1.0\r\n${fields}\r\n${body}`, 'utf8')
  return about === undefined ? { id, make } : { id, about, make }
}

/** Like `mail`, for what is better not held in memory while the others are read. */
const lazily = (id: string, build: () => BombMail, about?: BombMail['about']): BombMail => ({
  id,
  ...(about === undefined ? {} : { about }),
  make: () => build().make(),
})

type Recipe = (size: number) => readonly BombMail[]

const one =
  (id: string, about: BombMail['about'], fields: (size: number) => string, body: (size: number) => string): Recipe =>
  (size) => [lazily(`${id} ${size}`, () => mail(`${id} ${size}`, fields(size), body(size)), about)]

const plain = (): string => 'Content-Type: text/plain; charset=utf-8\r\n'
const html = (): string => 'Content-Type: text/html; charset=utf-8\r\n'
const multipart = (boundary: string): string => `Content-Type: multipart/mixed; boundary="${boundary}"\r\n`
const hello = (): string => 'hello\r\n'

function nestedMultiparts(depth: number): string {
  return `${many(depth, (level) => `--b${level}\r\n${multipart(`b${level + 1}`)}\r\n`)}--b${depth}\r\n\r\nhello\r\n${many(
    depth + 1,
    (level) => `--b${depth - level}--\r\n`,
  )}`
}

/** A message of 4 KB with two parts, cut: at every byte is what the content reader's own test does. */
const CUT_EVERY = 32
function cutShort(size: number): BombMail[] {
  const text = many(40, (line) => `Line ${line} of a text that is not interesting at all.\r\n`)
  const body = `--b\r\n${plain()}\r\n${text}\r\n--b\r\n${html()}\r\n<p>${text}</p>\r\n--b--\r\n`
  const whole = mail('unterminated', multipart('b'), body).make().subarray(0, size)
  return Array.from({ length: Math.ceil(whole.length / CUT_EVERY) }, (_, index) => ({
    id: `unterminated ${index * CUT_EVERY}`,
    make: () => whole.subarray(0, index * CUT_EVERY),
  }))
}

const bodiesCalled = (id: string): readonly BombMail[] =>
  BODY_BOMBS.filter(({ id: name }) => name === id || name.startsWith(`${id} `)).map((bomb) => {
    const charset = bomb.charset ?? 'utf-8'
    const fields = `Content-Type: ${bomb.type}; charset="${charset}"\r\nContent-Transfer-Encoding: ${bomb.encoding ?? '8bit'}\r\n`
    return lazily(bomb.id, () => mail(bomb.id, fields, bomb.make()), bomb.type === 'text/html' ? 'html' : undefined)
  })

function attached(id: string, type: string, make: () => Uint8Array, about?: BombMail['about']): BombMail {
  const build = (): BombMail => {
    const encoded = Buffer.from(make()).toString('base64').replace(/.{76}/g, '$&\r\n')
    const file = `Content-Type: ${type}; name="bomb"\r\nContent-Disposition: attachment; filename="bomb"\r\nContent-Transfer-Encoding: base64\r\n`
    return mail(id, multipart('b'), `--b\r\n${plain()}\r\nhello\r\n--b\r\n${file}\r\n${encoded}\r\n--b--\r\n`)
  }
  return lazily(id, build, about)
}

const LANGUAGE_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

const DATES = (size: number): Record<string, string> => ({
  'year 99999': 'Mon, 26 Feb 99999 10:30:00 +0000',
  negative: 'Mon, -1 Feb -2024 10:30:00 +0000',
  '1e400': '1e400',
  'zone +9999': 'Mon, 26 Feb 2024 10:30:00 +9999',
  comments: '('.repeat(size),
})

const REDOS = (size: number): Record<string, string> => ({
  '<': '<'.repeat(size),
  '"': '"'.repeat(size),
  '(': '('.repeat(size),
  blank: `${' '.repeat(size)}@`,
})

/** One message per entry, with the entry as the value of these fields. */
const perEntry = (id: string, entries: Record<string, string>, fields: readonly string[]): BombMail[] =>
  Object.entries(entries).map(([name, value]) =>
    lazily(
      `${id} ${name}`,
      () => mail(`${id} ${name}`, fields.map((field) => `${field}: ${value}\r\n`).join('') + plain(), hello()),
      'header',
    ),
  )

/** By the recipe's id. */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  'nest-multipart': one('nest-multipart', undefined, () => multipart('b0'), nestedMultiparts),
  'nest-rfc822': one(
    'nest-rfc822',
    undefined,
    () => 'Content-Type: message/rfc822\r\n',
    (size) => `${many(size, () => 'Subject: inner\r\nContent-Type: message/rfc822\r\n\r\n')}Subject: last\r\n\r\nhello`,
  ),
  'many-parts': one(
    'many-parts',
    undefined,
    () => multipart('b'),
    (size) => `${'--b\r\n\r\nx\r\n'.repeat(size)}--b--\r\n`,
  ),
  'many-headers': one('many-headers', 'header', (size) => many(size, (index) => `X-${index}: v\r\n`) + plain(), hello),
  'long-header': (size) => [
    ...one('long-header', 'header', (length) => `X-Long: ${'a'.repeat(length)}\r\n${plain()}`, hello)(size),
    ...one(
      'long-header folded',
      'header',
      (length) => `X-Long: a\r\n${` ${'a'.repeat(70)}\r\n`.repeat(length / 73)}${plain()}`,
      hello,
    )(size),
  ],
  'long-line': one('long-line', undefined, plain, (size) => 'x'.repeat(size)),
  'many-recipients': one(
    'many-recipients',
    'header',
    (size) => `To: ${many(size, (index) => `a${index}@example.org,\r\n `)}z@example.org\r\n${plain()}`,
    hello,
  ),
  'nested-groups': one(
    'nested-groups',
    'header',
    (size) => `To: ${'a:'.repeat(size)}\r\nFrom: ${'a:'.repeat(size)}\r\n`,
    hello,
  ),
  'many-encoded-words': one(
    'many-encoded-words',
    'header',
    (size) => `X-Words: ${'=?utf-8?q?a?= '.repeat(size)}\r\nFrom: ${'=?utf-8?q?a?= '.repeat(size)} <a@example.org>\r\n`,
    hello,
  ),
  'boundary-prefix': one(
    'boundary-prefix',
    undefined,
    () => multipart('a'.repeat(70)),
    (size) => `--${'a'.repeat(69)}\r\n`.repeat(size),
  ),
  'boundary-long': one(
    'boundary-long',
    undefined,
    (size) => multipart('a'.repeat(size)),
    (size) => `${`--${'a'.repeat(size)}\r\n\r\nhello\r\n`.repeat(3)}--${'a'.repeat(size)}--\r\n`,
  ),
  unterminated: cutShort,
  'bad-base64': one(
    'bad-base64',
    undefined,
    () => `${plain()}Content-Transfer-Encoding: base64\r\n`,
    (size) => `aGVs${'!'.repeat(size)}bG8${'='.repeat(size)}`,
  ),
  'qp-soft': one(
    'qp-soft',
    undefined,
    () => `${plain()}Content-Transfer-Encoding: quoted-printable\r\n`,
    (size) => `${'=\r\n'.repeat(size)}hello`,
  ),
  'html-depth': one('html-depth', 'html', html, (size) => `${'<div>'.repeat(size)}hello${'</div>'.repeat(size)}`),
  'html-attrs': one('html-attrs', 'html', html, (size) => `<p ${many(size, (index) => `a${index}=1 `)}>hello`),
  'html-unclosed': (size) => [
    ...one('html-unclosed <', 'html', html, (count) => '<'.repeat(count))(size),
    ...one('html-unclosed <a', 'html', html, (count) => '<a href='.repeat(count))(size),
  ],
  'css-huge': one(
    'css-huge',
    'html',
    html,
    (size) => `<style>${many(size, (index) => `.c${index}{display:none}`)}</style><p class=x>hello`,
  ),
  linkify: () => bodiesCalled('linkify'),
  'redos-addr': (size) => perEntry(`redos-addr ${size}`, REDOS(size), ['From', 'To', 'Reply-To']),
  references: one('references', 'header', (size) => `References:${many(size, (id) => ` <${id}@a.b>\r\n`)}`, hello),
  'gzip-zip': () => ZIP_BOMBS.map(({ id, make }) => attached(`zip ${id}`, 'application/zip', make)),
  pdf: () => PDF_BOMBS.map(({ id, make }) => attached(`pdf ${id}`, 'application/pdf', make, 'pdf')),
  charset: () => bodiesCalled('charset'),
  'proto-keys': () => [
    mail(
      'proto-keys',
      `${LANGUAGE_NAMES.map((name) => `${name}: x\r\n`).join('')}Content-Type: text/plain; ${LANGUAGE_NAMES.map((name) => `${name}=x`).join('; ')}\r\n`,
      'hello',
      'header',
    ),
  ],
  date: (size) => perEntry('date', DATES(size), ['Date']),
}

/** All of them, for recipes as they stand in the corpus; those about a lying server are for another test. */
export function bombMails(recipes: readonly { readonly id: string; readonly N: readonly number[] }[]): BombMail[] {
  return recipes.flatMap(({ id, N }) => N.flatMap((size) => RECIPES[id]?.(size) ?? []))
}
