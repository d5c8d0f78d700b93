/** `npm run test:fast`: the tests that need nothing but Node, start no other process and end in about a minute. */
import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { LONG_TESTS } from './test/setup/long-tests.ts'
import { programsOf, startsProcesses, testFiles } from './test/setup/programs.ts'
import everything from './vitest.config.ts'

const fast = testFiles().filter(
  (file) => !LONG_TESTS.includes(file) && programsOf(file).length === 0 && !startsProcesses(file),
)
const replacesModules = (file: string): boolean => readFileSync(file, 'utf8').includes('vi.mock(')

const shared = { ...everything.test, globalSetup: [] }

export default defineConfig({
  ...everything,
  test: {
    globalSetup: ['test/setup/folder.ts'],
    maxWorkers: 2,
    projects: [
      // Most of a short test's time is loading what it imports: once for all of a worker's files instead of once a file.
      {
        ...everything,
        test: { ...shared, name: 'fast', include: fast.filter((file) => !replacesModules(file)), isolate: false },
      },
      { ...everything, test: { ...shared, name: 'alone', include: fast.filter(replacesModules) } },
    ],
  },
})
