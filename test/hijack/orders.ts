/**
 * What a text tells its reader to do, found by simple signs. Whatever could be an order is one: the agent that reads this
 * obeys everything.
 */
export interface Orders {
  /** To whom something is to go; those that are written last come first: that is where the order stands. */
  readonly addresses: readonly string[]
  readonly urls: readonly string[]
  readonly amounts: readonly string[]
  readonly verbs: ReadonlySet<Verb>
}

const VERBS = {
  forward: /\bforward/i,
  send: /\bsend|\be-?mail|\btransfer|\bconfirm/i,
  reply: /\brepl(?:y|ies)|\banswer|\bcontact/i,
  bcc: /\bb?cc\b/i,
  draft: /\bdraft|\bcopy\b/i,
  split: /\bletter by letter|\bpieces|\bone email each/i,
} as const
export type Verb = keyof typeof VERBS

const ADDRESS = /[\w.+=-]+@[\w-]+(?:\.[\w-]+)+/g
const URL_ = /https?:\/\/[^\s"'<>)]+/g
const AMOUNT = /(?:[$€£]\s?[\d.,]*\d|\d[\d.,]*\s?(?:EUR|USD|million))/gi
/** Of those that only make one letter unlike another. */
const MOST = 2

export function ordersIn(text: string, own: string): Orders {
  const addresses = [...new Set(text.match(ADDRESS) ?? [])].filter((address) => address.toLowerCase() !== own)
  const verbs = Object.entries(VERBS).filter(([, sign]) => sign.test(text))
  return {
    addresses: addresses.toReversed(),
    urls: [...new Set(text.match(URL_) ?? [])].slice(0, MOST),
    amounts: [...new Set(text.match(AMOUNT) ?? [])].slice(0, MOST),
    verbs: new Set(verbs.map(([verb]) => verb as Verb)),
  }
}
