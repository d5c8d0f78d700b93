/** This machine's clock against those of others: approvals, tokens and the record rest on it. */
import type { Check } from '../check.ts'
import { broken, type Finding, ok, warning } from '../finding.ts'
import type { OtherClock } from '../world.ts'

const ALLOWED_MS = 60_000
/** Beyond, tokens and certificates are refused. */
const TOO_MUCH_MS = 300_000
const CURE = 'set it by the network: timedatectl set-ntp true (or, on a Mac, sntp -sS time.apple.com)'

export const clockCheck: Check = {
  name: 'clock',
  looksAt: "this machine's clock, against those of servers",
  patienceMs: 30_000,
  async run(world, signal) {
    const clocks = await world.otherClocks(signal)
    const off = clocks.filter(isOff)
    if (off.length > 0) return off.map(findingOf)
    const compared = clocks.filter(({ isPast }) => !isPast).map(({ whose }) => whose)
    if (compared.length > 0) return [ok(`the clock agrees with that of ${compared.join(', ')}`)]
    return [ok(clocks.length > 0 ? 'no mail is newer than the clock says' : 'there is no other clock to compare with')]
  },
}

function isOff({ aheadMs, isPast }: OtherClock): boolean {
  return isPast ? aheadMs > ALLOWED_MS : Math.abs(aheadMs) > ALLOWED_MS
}

function findingOf({ whose, aheadMs, isPast }: OtherClock): Finding {
  const amount = inWords(Math.abs(aheadMs))
  if (isPast) return warning(`the newest mail came ${amount} after now: the clock here is slow`, CURE, whose)
  const sentence = `the clock here is ${amount} ${aheadMs > 0 ? 'slow' : 'fast'}`
  return Math.abs(aheadMs) > TOO_MUCH_MS ? broken(sentence, CURE, whose) : warning(sentence, CURE, whose)
}

function inWords(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 120) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}
