/**
 * What an examination finds.
 *
 * INVARIANT: sentences and cures are our own words. They hold no secret, no mail and nothing that a server said.
 */
export type Verdict = 'ok' | 'warning' | 'broken'

export interface Finding {
  readonly verdict: Verdict
  /** The account, the file or the like, where a check looks at several. */
  readonly subject?: string
  readonly sentence: string
  /** A command, or what to change where. Always there unless the verdict is ok. */
  readonly cure?: string
}

export function ok(sentence: string, subject?: string): Finding {
  return { verdict: 'ok', sentence, ...(subject !== undefined && { subject }) }
}

export function warning(sentence: string, cure: string, subject?: string): Finding {
  return { verdict: 'warning', sentence, cure, ...(subject !== undefined && { subject }) }
}

export function broken(sentence: string, cure: string, subject?: string): Finding {
  return { verdict: 'broken', sentence, cure, ...(subject !== undefined && { subject }) }
}
