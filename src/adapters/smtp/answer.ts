/** What a mail server answered, where it is an answer at all. */
const LINE = /^([2-5]\d\d)(?:[ -].*)?$/

/** The code of an answer. Undefined where its lines do not agree on one, or something else stands there. */
export function answerCode(answer: string | undefined): number | undefined {
  if (answer === undefined) return undefined
  const codes = new Set(answer.split(/\r?\n/).map((line) => LINE.exec(line)?.[1]))
  const [code] = codes
  return codes.size === 1 && code !== undefined ? Number(code) : undefined
}

/** Such as `5.3.4`, which says more than the code. */
export function enhancedCode(answer: string | undefined): string | undefined {
  return /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(answer ?? '')?.[1]
}
