/** Sizes as people write and read them: `20 MB`. A kB is 1024 bytes, as in mail programs. */

const UNITS = [
  ['GB', 1024 ** 3],
  ['MB', 1024 ** 2],
  ['kB', 1024],
] as const

const WRITTEN = /^(\d{1,15}) ?([kmg]?b)$/i

/** Bytes; undefined where it is not written as a size. Example: `sizeOf('20 MB')`. */
export function sizeOf(text: string): number | undefined {
  const [, digits, unit = ''] = WRITTEN.exec(text.trim()) ?? []
  if (digits === undefined) return undefined
  const [, times] = UNITS.find(([name]) => name.toLowerCase() === unit.toLowerCase()) ?? ['B', 1]
  return Number(digits) * times
}

/** Rounded up to a tenth of the largest unit that fits. */
export function sizeWords(bytes: number): string {
  const [name, times] = UNITS.find(([, one]) => bytes >= one) ?? ['bytes', 1]
  return `${Math.ceil((bytes * 10) / times) / 10} ${name}`
}
