/**
 * `npm run assurance -- --only kills`: kills Postern at every mark, at every point of its dialogues and at 1,000 random moments, and
 * looks at what is left. `node test/crash/run.ts --random 200 --seed 7 --only random` does less of it: `--only` names marks, points
 * or random.
 *
 * Interrupted, it tells what it has found so far.
 *
 * INVARIANT: the exit code is 1 if a single message was lost, doubled or changed, or a transfer was left where it is not final.
 */
import { parseArgs } from 'node:util'
import { type Draft, type Lanes, openLanes } from './lanes.ts'
import { atEveryMark, atEveryPoint, atRandom, overhear, randomFrom, twiceAtMarks, withHeir } from './matrix.ts'
import type { Ending } from './plan.ts'

const { values } = parseArgs({
  options: {
    random: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    lanes: { type: 'string', default: '3' },
    only: { type: 'string', multiple: true, default: ['marks', 'points', 'random'] },
  },
})
/** More than the engine passes when it goes on with one message. */
const MARKS_OF_RESUMING = 24

const lanes = await openLanes(Number(values.lanes))
let faulty = 0
let groups = values.only
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt)
try {
  if (groups.includes('marks')) await group('at every mark', await marks(lanes))
  if (groups.includes('points')) await group('at every point of the dialogues', await points(lanes))
  if (groups.includes('random')) await group(`at random moments, seed ${values.seed}`, await moments(lanes))
} finally {
  await lanes.close()
}
print(faulty === 0 ? 'Nothing was lost, nothing was doubled.\n' : `${faulty} rounds went wrong.\n`)
if (faulty > 0) process.exitCode = 1

function interrupt(): void {
  groups = []
  lanes.stop()
}

async function marks(on: Lanes): Promise<readonly Draft[]> {
  const drafts: Draft[] = []
  for (const operation of ['move', 'copy'] as const) {
    for (const count of [1, 5]) {
      const overheard = await overhear(on, operation, count)
      drafts.push(withHeir(operation, count, overheard), ...atEveryMark(operation, count, overheard))
    }
    const seconds = Array.from({ length: MARKS_OF_RESUMING }, (_, mark) => mark)
    drafts.push(...twiceAtMarks(operation, await overhear(on, operation, 1), seconds))
  }
  return drafts
}

async function points(on: Lanes): Promise<readonly Draft[]> {
  const drafts: Draft[] = []
  for (const operation of ['move', 'copy'] as const) {
    for (const count of [1, 5]) drafts.push(...atEveryPoint(operation, count, await overhear(on, operation, count)))
  }
  return drafts
}

async function moments(on: Lanes): Promise<readonly Draft[]> {
  const { ms } = await overhear(on, 'move', 5)
  return atRandom(Number(values.random), ms, randomFrom(Number(values.seed)))
}

async function group(name: string, drafts: readonly Draft[]): Promise<void> {
  const began = performance.now()
  let played = 0
  const endings = await lanes.play(drafts, (ending) => {
    played += 1
    if (ending.faults.length > 0) print(`  ${told(ending)}\n`)
    if (played % 50 === 0) print(`  ${played} of ${drafts.length} rounds\n`)
  })
  const wrong = endings.filter(({ faults }) => faults.length > 0).length
  faulty += wrong
  const struck = endings.filter((ending) => ending.struck)
  const took = `${Math.round((performance.now() - began) / 1000)} s`
  print(
    `Killed ${name}: ${endings.length} rounds (${took}), ${struck.length} of them in the middle, ${wrong} went wrong.\n`,
  )
  for (const [at, some] of Map.groupBy(struck, (ending) => ending.at)) print(`  ${some.length} times: ${at}\n`)
  print(`  The mailboxes were read ${endings.reduce((sum, { looks }) => sum + looks, 0)} times meanwhile.\n`)
}

function told({ plan, at, faults }: Ending): string {
  const { number, operation, count, recovery, blow } = plan
  return `round ${number}, ${operation} of ${count}, ${JSON.stringify(blow)}, then ${recovery}, at "${at}": ${faults.join('; ')}`
}

function print(text: string): void {
  process.stdout.write(text)
}
