/**
 * Runs once before all tests: makes sure that the real mail server they talk to is there.
 *
 * INVARIANT: tests never run without Dovecot. Where it cannot be installed the run fails and says what to install,
 * because a skipped test would look like a passed one.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const PROGRAM = 'dovecot'
const PACKAGE = 'dovecot-imapd'

// Debian keeps servers in the sbin folders, which an ordinary user's PATH leaves out.
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/sbin']

export function setup(): void {
  if (found(PROGRAM)) return
  if (found('apt-get') && process.getuid?.() === 0) install()
  if (!found(PROGRAM)) {
    throw new Error(
      `The tests need Dovecot, and there is none here. Install the Debian package ${PACKAGE} (or your system's dovecot).`,
    )
  }
}

function install(): void {
  say(`Dovecot is missing: installing ${PACKAGE}`)
  // A package that apt fetched without an update may be gone from the mirrors, so the lists come first.
  aptGet('update')
  aptGet('install', '-y', '--no-install-recommends', PACKAGE)
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
