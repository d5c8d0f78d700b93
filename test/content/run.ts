/**
 * Judges techniques and ordinary mail with Chromium and prints what is delivered wrongly.
 *
 *     node test/content/run.ts                                 # all groups
 *     node test/content/run.ts --group clipping,overlays       # some of them
 *     node test/content/run.ts --generate 200 --seed 7         # generated documents instead
 *     node test/content/run.ts --source ../other/src/adapters/mime/visible-text.ts
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { casesOf } from './cases.ts'
import { judgeGenerated } from './generated.ts'
import { type Oracle, openOracle, type Sight } from './oracle.ts'
import { ORDINARY, TECHNIQUES } from './techniques/all.ts'
import { type Class, classesOf, type Fault, faultOf, type Reader, zip } from './verdict.ts'

const { values } = parseArgs({
  options: {
    group: { type: 'string' },
    source: { type: 'string', default: 'src/adapters/mime/visible-text.ts' },
    generate: { type: 'string' },
    seed: { type: 'string', default: '1776' },
    sights: { type: 'boolean', default: false },
  },
})

const read = await readerOf(values.source)
const oracle = await openOracle()
try {
  if (values.generate === undefined) await runGroups(read, oracle)
  else await runGenerated(read, oracle, Number(values.generate))
} finally {
  await oracle.close()
}

async function readerOf(source: string): Promise<Reader> {
  const loaded: { readonly visibleText: Reader } = await import(pathToFileURL(resolve(source)).href)
  return loaded.visibleText
}

async function runGroups(reader: Reader, judge: Oracle): Promise<void> {
  const wanted = values.group?.split(',')
  for (const group of [...TECHNIQUES, ...ORDINARY]) {
    if (wanted !== undefined && !wanted.includes(group.name)) continue
    const ordinary = ORDINARY.includes(group)
    const cases = casesOf([group])
    const classes = cases.map(({ html, canaries }) => classesOf(reader, html, canaries)[0] ?? 'hidden')
    // Of a technique whose text is uncertain, anything goes.
    const asked = cases.filter((_, at) => ordinary || values.sights || classes[at] !== 'uncertain')
    const answers = new Map(zip(asked, await judge.judge(asked)))
    const sights = cases.map((one): Sight | undefined => answers.get(one)?.[0])
    const faults = new Map<Fault, string[]>()
    for (const [at, delivered] of classes.entries()) {
      const sight = sights[at]
      if (sight === undefined) continue
      const fault = faultOf(sight, delivered, ordinary)
      if (values.sights) print(`${sight.padEnd(7)} ${delivered.padEnd(9)} ${group.cases[at]}`)
      if (fault !== undefined) faults.set(fault, [...(faults.get(fault) ?? []), `${sight} ${group.cases[at]}`])
    }
    const shown = sights.filter((sight) => sight === 'shown').length
    const count = (wanted: Class): number => classes.filter((one) => one === wanted).length
    const split = `visible ${count('visible')}, uncertain ${count('uncertain')}, hidden ${count('hidden')}`
    const figures = [...faults].map(([fault, all]) => `${fault} ${all.length}`).join(', ')
    print(`## ${group.name}: ${cases.length} cases (${split}), ${shown} shown; ${figures || 'no fault'}`)
    for (const [fault, all] of faults) for (const one of all) print(`  ${fault}: ${one}`)
  }
}

async function runGenerated(reader: Reader, judge: Oracle, count: number): Promise<void> {
  const { failures, ...tally } = await judgeGenerated(reader, judge, { first: Number(values.seed) * 1_000_000, count })
  print(`## generated: ${JSON.stringify(tally)}; ${failures.length} failures`)
  for (const { fault, seed, html } of failures) print(`  ${fault} (${seed}): ${html}`)
}

/** With all that cannot be seen on a terminal as its number. */
function print(line: string): void {
  const seen = line.replace(/[^\x20-\x7e█]/g, (one) => `{U+${one.charCodeAt(0).toString(16)}}`)
  process.stdout.write(`${seen}\n`)
}
