/** How much of a message a caller may see. Ordered: each level shows all that the one before it shows. */
export const LEVELS = ['NONE', 'COUNT', 'METADATA', 'ENVELOPE', 'HEADERS', 'BODY', 'FULL'] as const

export type Level = (typeof LEVELS)[number]

const RANK: Readonly<Record<Level, number>> = Object.fromEntries(LEVELS.map((level, rank) => [level, rank])) as Record<
  Level,
  number
>

export function isLevel(value: unknown): value is Level {
  return LEVELS.includes(value as Level)
}

export function atLeast(level: Level, needed: Level): boolean {
  return RANK[level] >= RANK[needed]
}

export function lower(one: Level, other: Level): Level {
  return RANK[one] <= RANK[other] ? one : other
}

export function higher(one: Level, other: Level): Level {
  return RANK[one] >= RANK[other] ? one : other
}
