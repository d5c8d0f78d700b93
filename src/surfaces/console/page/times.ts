/** Moments and amounts as people read them. */
import { useEffect, useState } from 'preact/hooks'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAYS = ['day', 24 * HOUR] as const
/** Each up to so many seconds. */
const UNITS = [
  ['minute', MINUTE, 90 * MINUTE],
  ['hour', HOUR, 48 * HOUR],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const amount = new Intl.NumberFormat('en-GB')
const tenths = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 })

/** `3 minutes ago`, `in 23 hours` */
export function distance(at: number, now: number): string {
  const seconds = (at - now) / 1000
  if (Math.abs(seconds) < 45) return at > now ? 'in a moment' : 'just now'
  const [unit, size] = UNITS.find(([, , most]) => Math.abs(seconds) < most) ?? DAYS
  return relative.format(Math.round(seconds / size), unit)
}

export function exactTime(at: number): string {
  return exact.format(at)
}

export function clockTime(at: number): string {
  return clock.format(at)
}

export function dayName(at: number): string {
  return day.format(at)
}

export function count(number: number): string {
  return amount.format(number)
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`
}

export function size(bytes: number): string {
  if (bytes < 1000) return plural(bytes, 'byte')
  if (bytes < 1_000_000) return `${tenths.format(bytes / 1000)} kB`
  return `${tenths.format(bytes / 1_000_000)} MB`
}

const TICK_MS = 30_000
const ticking = new Set<(now: number) => void>()
let ticks: ReturnType<typeof setInterval> | undefined

/** The time now, moving on twice a minute, for all of the page at once. */
export function useNow(): number {
  const [now, show] = useState(() => Date.now())
  useEffect(() => {
    ticking.add(show)
    ticks ??= setInterval(() => {
      for (const move of ticking) move(Date.now())
    }, TICK_MS)
    return () => {
      ticking.delete(show)
      if (ticking.size > 0) return
      clearInterval(ticks)
      ticks = undefined
    }
  }, [])
  return now
}
