/** Numbers from samples, and how they are written. */

export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** What the machine's other work only ever adds to. */
export function least(samples: readonly number[]): number {
  return Math.min(...samples)
}

export function ms(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`
}

export function times(value: number): string {
  return `${value.toFixed(2)} ×`
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-GB')
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
