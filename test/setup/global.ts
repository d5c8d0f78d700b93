/**
 * Runs once before all tests: makes sure that the real programs they talk to are there, and gives them a folder for what they
 * write, which is gone afterwards.
 *
 * INVARIANT: tests never run without them. Where one cannot be installed the run fails and says what to install, because a
 * skipped test would look like a passed one.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, chmodSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

interface Needed {
  readonly name: string
  readonly program: string
  /** Debian's. */
  readonly package: string
}

const NEEDED: readonly Needed[] = [
  { name: 'Dovecot', program: 'dovecot', package: 'dovecot-imapd' },
  { name: 'GnuPG', program: 'gpg', package: 'gnupg' },
  { name: 'Chromium', program: 'chromium', package: 'chromium' },
]

// Debian keeps servers in the sbin folders, which an ordinary user's PATH leaves out.
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/sbin']

/** Returns what is to be done at the end. */
export function setup(): () => void {
  requirePrograms()
  // Short: sockets lie below it, and their paths have a limit.
  const folder = mkdtempSync(join(tmpdir(), 'pt-'))
  // A mail server works for users of its own.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function requirePrograms(): void {
  if (missing().length > 0 && found('apt-get') && process.getuid?.() === 0) install(missing())
  const [absent] = missing()
  if (absent !== undefined) {
    throw new Error(
      `The tests need ${absent.name}, and there is none here. Install the Debian package ${absent.package} (or your system's ${absent.program}).`,
    )
  }
}

function missing(): readonly Needed[] {
  return NEEDED.filter(({ program }) => !found(program))
}

function install(absent: readonly Needed[]): void {
  const packages = absent.map((needed) => needed.package)
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

function found(program: string): boolean {
  return FOLDERS.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

function say(message: string): void {
  process.stderr.write(`postern tests: ${message}\n`)
}
