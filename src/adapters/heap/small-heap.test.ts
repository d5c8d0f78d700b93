import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const MODULE = join(import.meta.dirname, 'small-heap.ts')

/** In a process of its own, since it is the process that is changed. A tenth of what is made is kept for a while. */
function youngAfterMuchWork(before: string): number {
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8'
    import { setImmediate as nextTurn } from 'node:timers/promises'
    import { keepHeapSmall, keepYoungGenerationSmall } from ${JSON.stringify(MODULE)}
    ${before}
    const kept = []
    for (let at = 0; at < 3e6; at += 1) {
      const made = { at, text: 'x' + at }
      if (at % 10 === 0) kept[at % 200_000] = made
      if (at % 20_000 === 0) await nextTurn()
    }
    process.stdout.write(String(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size))`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '--eval', program]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

test.each(['keepYoungGenerationSmall()', 'keepHeapSmall()'])('%s lets it grow, but not as far as it would', (call) => {
  const young = youngAfterMuchWork(call)
  expect(young).toBeGreaterThanOrEqual(8_000_000)
  expect(young).toBeLessThan(youngAfterMuchWork(''))
})
