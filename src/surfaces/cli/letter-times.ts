/** When something was or will be with a letter, for a person to read. In UTC, like the record. */
const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const

export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

export function untilText(at: number, now: number): string {
  return at > now ? `${timeText(at)}, in ${durationText(at - now)}` : timeText(at)
}

/** In whole units, rounded down. */
export function durationText(ms: number): string {
  const unit = UNITS.find(([size]) => ms >= size)
  return unit === undefined ? 'less than a minute' : `${Math.floor(ms / unit[0])} ${unit[1]}`
}
