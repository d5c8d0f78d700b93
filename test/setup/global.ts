/**
 * Runs once before all tests: makes sure that the real programs they talk to are there.
 *
 * INVARIANT: tests never run without them. Where one cannot be installed the run fails and says what to install, because a
 * skipped test would look like a passed one.
 */
import { spawnSync } from 'node:child_process'
import { isInstalled, PROGRAMS, type Program } from './programs.ts'

export function setup(): void {
  const absent = missing()
  if (absent.length > 0 && process.getuid?.() === 0) install(absent)
  const [program] = missing()
  if (program !== undefined) {
    throw new Error(
      `The tests need ${program.name}, and it is not installed. Install the Debian package ${program.package} (or your system's ${program.command}), or run npm run test:fast.`,
    )
  }
}

function missing(): readonly Program[] {
  return PROGRAMS.filter((program) => !isInstalled(program))
}

function install(absent: readonly Program[]): void {
  const packages = absent.map((program) => program.package)
  say(`${absent.map(({ name }) => name).join(' and ')} missing: installing ${packages.join(' ')}`)
  // A package that apt fetched without an update may be gone from the mirrors, so the lists come first.
  aptGet('update')
  aptGet('install', '-y', '--no-install-recommends', ...packages)
}

function aptGet(...args: string[]): void {
  const { status } = spawnSync('apt-get', ['-qq', '-o', 'Dpkg::Use-Pty=0', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) say(`apt-get ${args[0]} failed`)
}

function say(message: string): void {
  process.stderr.write(`postern tests: ${message}\n`)
}
