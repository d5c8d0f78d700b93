/** SEARCH keys as tests of a message. */
import { fieldOf, parseMessage } from './mime.ts'
import { DRAFT, STARRED } from './names.ts'
import { rawQuery } from './raw-query.ts'
import { BadCommand, inSet, type Node, textOf } from './syntax.ts'
import { parseDate } from './text.ts'
import { fromUtf7 } from './utf7.ts'
import type { Seen, View } from './view.ts'
import { bodyText, hasPhrase, headerText, wholeText } from './words.ts'

export type Test = (seen: Seen) => boolean

const DAY = 86_400

/** Takes what it needs from the front of `nodes`. */
export class KeyReader {
  readonly #nodes: Node[]
  readonly #view: View
  readonly #utf8: boolean

  constructor(nodes: readonly Node[], view: View, utf8: boolean) {
    this.#nodes = [...nodes]
    this.#view = view
    this.#utf8 = utf8
  }

  all(): Test {
    const tests: Test[] = []
    while (this.#nodes.length > 0) tests.push(this.#one())
    if (tests.length === 0) throw new BadCommand()
    return (seen) => tests.every((test) => test(seen))
  }

  #one(): Test {
    const node = this.#nodes.shift()
    if (node?.kind === 'list') return new KeyReader(node.items, this.#view, this.#utf8).all()
    const key = textOf(node).toUpperCase()
    if (/^[0-9*][0-9:*,]*$/.test(key)) return this.#numbers(key)
    return this.#flagKey(key) ?? this.#textKey(key) ?? this.#dateKey(key) ?? this.#otherKey(key)
  }

  #numbers(set: string): Test {
    const wanted = inSet(set, this.#view.size)
    return ({ number }) => wanted(number)
  }

  #flagKey(key: string): Test | undefined {
    const [, not, name = ''] = /^(UN)?(SEEN|ANSWERED|DELETED|DRAFT|FLAGGED|KEYWORD)$/.exec(key) ?? []
    const keyword = name === 'KEYWORD' ? this.#text() : ''
    const tests: Readonly<Record<string, Test>> = {
      SEEN: ({ message }) => message.flags.has('\\Seen'),
      ANSWERED: ({ message }) => message.flags.has('\\Answered'),
      DELETED: ({ message }) => this.#view.mailbox.deleted.has(message.msgid),
      DRAFT: ({ message }) => message.labels.has(DRAFT),
      FLAGGED: ({ message }) => message.labels.has(STARRED),
      KEYWORD: ({ message }) => message.flags.has(keyword),
    }
    const test = tests[name]
    return test === undefined || not === undefined ? test : (seen) => !test(seen)
  }

  #textKey(key: string): Test | undefined {
    if (['FROM', 'TO', 'CC', 'BCC', 'SUBJECT'].includes(key)) {
      const wanted = this.#text()
      return ({ message }) => hasPhrase(headerText(message, key), wanted)
    }
    if (key === 'HEADER') {
      const [name, wanted] = [this.#text(), this.#text()]
      return ({ message }) =>
        wanted === ''
          ? fieldOf(parseMessage(message.raw).header, name) !== undefined
          : inHeader(headerText(message, name), wanted)
    }
    if (key !== 'TEXT' && key !== 'BODY') return undefined
    const wanted = this.#text()
    return ({ message }) => hasPhrase(key === 'TEXT' ? wholeText(message) : bodyText(message), wanted)
  }

  #dateKey(key: string): Test | undefined {
    const [, sent, name = ''] = /^(SENT)?(BEFORE|ON|SINCE)$/.exec(key) ?? []
    if (name === '') return undefined
    const day = parseDate(this.#text())
    if (day === undefined) throw new BadCommand()
    return ({ message }) => {
      const time = sent === undefined ? message.received : Date.parse(headerText(message, 'date')) / 1000
      const [early, late] = [time < day, time >= day + DAY]
      return name === 'BEFORE' ? early : name === 'SINCE' ? !early : !early && !late
    }
  }

  #otherKey(key: string): Test {
    switch (key) {
      case 'ALL':
      case 'OLD':
        return () => true
      case 'NEW':
      case 'RECENT':
        return () => false
      case 'NOT': {
        const test = this.#one()
        return (seen) => !test(seen)
      }
      case 'OR': {
        const [first, second] = [this.#one(), this.#one()]
        return (seen) => first(seen) || second(seen)
      }
      case 'UID': {
        const wanted = inSet(this.#text(), this.#view.messages().at(-1)?.uid ?? 0)
        return ({ uid }) => wanted(uid)
      }
      case 'LARGER':
      case 'SMALLER': {
        const bytes = Number(this.#text())
        return ({ message: { raw } }) => (key === 'LARGER' ? raw.length > bytes : raw.length < bytes)
      }
      case 'MODSEQ': {
        const from = Number(this.#text())
        return ({ message }) => message.modseq >= from
      }
      default:
        return this.#googleKey(key)
    }
  }

  #googleKey(key: string): Test {
    const given = this.#text()
    if (key === 'X-GM-MSGID') return ({ message }) => message.msgid === bigintOf(given)
    if (key === 'X-GM-THRID') return ({ message }) => message.thrid === bigintOf(given)
    if (key === 'X-GM-RAW') return ({ message }) => rawQuery(given)(message)
    if (key !== 'X-GM-LABELS') throw new BadCommand()
    const label = fromUtf7(given)?.toLowerCase()
    // The selected mailbox's own label is there as any other: only FETCH leaves it out.
    return ({ message }) => [...message.labels].some((known) => known.toLowerCase() === label)
  }

  #text(): string {
    const text = textOf(this.#nodes.shift())
    if (/^[ -~]*$/.test(text)) return text
    if (!this.#utf8) throw new BadCommand()
    return Buffer.from(text, 'latin1').toString('utf8')
  }
}

function inHeader(text: string, wanted: string): boolean {
  return text.includes(wanted) || hasPhrase(text, wanted)
}

function bigintOf(text: string): bigint {
  if (!/^[0-9]+$/.test(text)) throw new BadCommand()
  return BigInt(text)
}
