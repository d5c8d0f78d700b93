/** UTC days as `YYYY-MM-DD`, whose order is the order of their text. */
export const DAY_MS = 86_400_000

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

export function dayAfter(day: string): string {
  return dayOf(Date.parse(day) + DAY_MS)
}

export function dayBefore(day: string): string {
  return dayOf(Date.parse(day) - DAY_MS)
}
