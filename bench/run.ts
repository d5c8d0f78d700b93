/**
 * `npm run bench`: measures Postern beside what it stands on, in one run, and prints the figures with their goals.
 * `npm run bench -- cold-start listing` measures only what is named; what takes many minutes is measured only when named.
 * POSTERN_BENCH_MESSAGES and POSTERN_BENCH_ROWS say how much mail and how many rows the measurements of the mirror are made of.
 *
 * INVARIANT: nothing is asserted: the machine may be busy. The exit code is 1 only where something could not be measured.
 */
import { arch, availableParallelism, cpus, loadavg, platform } from 'node:os'
import { audit } from './audit.ts'
import { callRate } from './call-rate.ts'
import { coldStart } from './cold-start.ts'
import { decisions } from './decisions.ts'
import { gmail } from './gmail.ts'
import { httpRate } from './http-rate.ts'
import { install } from './install.ts'
import { listing } from './listing.ts'
import { mail } from './mail.ts'
import { memory } from './memory.ts'
import { mirrorPolicy } from './mirror-policy.ts'
import { mirrorSearch } from './mirror-search.ts'
import { mirrorSync } from './mirror-sync.ts'
import { outbox } from './outbox.ts'
import { policySearch } from './policy-search.ts'
import { goalText, type Section, sectionText } from './report.ts'
import { transfer } from './transfer.ts'

const MEASUREMENTS: Readonly<Record<string, () => Promise<Section>>> = {
  'cold-start': coldStart,
  calls: callRate,
  audit,
  http: httpRate,
  decisions,
  'policy-search': policySearch,
  mail,
  gmail,
  transfer,
  outbox,
  memory,
  listing,
  install,
}

/** They take many minutes, and mbsync and notmuch to stand beside. */
const ONLY_WHEN_NAMED: typeof MEASUREMENTS = {
  'mirror-sync': mirrorSync,
  'mirror-search': mirrorSearch,
  'mirror-policy': mirrorPolicy,
}
const ALL = { ...MEASUREMENTS, ...ONLY_WHEN_NAMED }

const asked = process.argv.slice(2)
const unknown = asked.find((name) => ALL[name] === undefined)
if (unknown === undefined) await measure(asked.length === 0 ? Object.keys(MEASUREMENTS) : asked)
else
  complain(
    `no measurement "${unknown}". There are: ${Object.keys(MEASUREMENTS).join(', ')}; ` +
      `and, only when named: ${Object.keys(ONLY_WHEN_NAMED).join(', ')}`,
  )

async function measure(names: readonly string[]): Promise<void> {
  const began = performance.now()
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${platform()} ${arch()}`
  const busy = `load average ${loadavg()[0]?.toFixed(1)} before the run`
  print(`Postern beside its floor: Node ${process.version}, ${machine}, ${busy}\n\n`)
  const goals: string[] = []
  for (const name of names) {
    try {
      const section = await ALL[name]?.()
      if (section === undefined) continue
      print(`${sectionText(section)}\n`)
      goals.push(...section.goals.map(goalText))
    } catch (error) {
      complain(`${name} could not be measured: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  print(`## All goals\n${goals.join('\n')}\n\nTook ${Math.round((performance.now() - began) / 1000)} s.\n`)
}

function print(text: string): void {
  process.stdout.write(text)
}

function complain(text: string): void {
  process.stderr.write(`bench: ${text}\n`)
  process.exitCode = 1
}
