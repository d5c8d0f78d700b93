/** How much of a message a caller may see. Ordered: each level shows all that the one before it shows. */
export const LEVELS = ['NONE', 'COUNT', 'METADATA', 'ENVELOPE', 'HEADERS', 'BODY', 'FULL'] as const

export type Level = (typeof LEVELS)[number]

export function atLeast(level: Level, needed: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(needed)
}
