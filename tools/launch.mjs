/**
 * Runs one of Postern's npm scripts from a bare clone, on any Node >= 18.
 *
 * Installs what is missing (a private Node where the machine's is too old, the packages where node_modules is not what
 * the lock says), then runs the script's steps on the right Node. Arguments, stdin, stdout and the exit code are the last
 * step's own; all that comes before it writes to stderr.
 *
 * INVARIANT: installing and building happen under one lock, so launchers started together never see each other's
 * half-made files.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { forgetBuilt, isBuilt, noteBuilt } from './built.mjs'
import { NEEDED, newEnough, PACKAGE, PRIVATE, privateNode, ROOT, run } from './private-node.mjs'

const LOCK = join(ROOT, 'tools', '.lock')
const LOCK_EXPIRES_MS = 15 * 60_000

const BUILD = ['tools/build.mjs']
const LINT = ['node_modules/@biomejs/biome/bin/biome', 'check']
const TYPES = ['node_modules/typescript/bin/tsc', '--noEmit']
const TESTS = ['node_modules/vitest/vitest.mjs', 'run']

// Node runs TypeScript unasked from 22.18 on; the private Node is newer than that.
const STRIP_TYPES = newEnough() && !process.features.typescript ? ['--experimental-strip-types'] : []

/** Each step is what follows `node` on its command line. */
const SCRIPTS = {
  build: [BUILD],
  start: [BUILD, ['bin/postern.mjs', 'demo']],
  test: [BUILD, LINT, TYPES, TESTS],
  'test:fast': [BUILD, [...TESTS, '--config', 'vitest.fast.config.ts']],
  'test:only': [BUILD, TESTS],
  mcpb: [BUILD, ['tools/mcpb.mjs']],
  bench: [BUILD, [...STRIP_TYPES, 'bench/run.ts']],
  assurance: [BUILD, [...STRIP_TYPES, 'test/assurance/run.ts']],
  reference: [[...STRIP_TYPES, 'tools/reference.ts']],
  check: [LINT, TYPES],
  format: [[...LINT, '--write']],
}

const [script = '', ...args] = process.argv.slice(2)
endWithParent()
process.exitCode = await launch(SCRIPTS[script])

async function launch(steps) {
  if (steps === undefined) return stop(`no script "${script}". There are: ${Object.keys(SCRIPTS).join(', ')}`)
  const release = await lock()
  let node
  try {
    node = newEnough() ? process.execPath : await installNode()
    await installPackages(node)
    if (steps[0] === BUILD) {
      const code = await build(node, steps.length === 1)
      if (code !== 0) return code
    }
  } finally {
    release()
  }
  for (const step of steps) {
    if (step === BUILD) continue
    const code = await runStep(node, step, step === steps.at(-1))
    if (code !== 0) return code
  }
  return 0
}

/** Whoever asks for a build gets one; whoever needs one on the way to something else, only where something has changed. */
async function build(node, asked) {
  if (!asked && isBuilt(node)) return 0
  say('building')
  forgetBuilt()
  const code = await runStep(node, BUILD, asked)
  if (code === 0) noteBuilt(node)
  return code
}

/** Whoever ends `npm start` ends npm, which tells nobody: a signal to ourselves reaches the step that is running. */
function endWithParent() {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  watch.unref()
}

function runStep(node, step, last) {
  const stdio = last ? 'inherit' : ['ignore', 2, 2]
  return run(node, last ? [...step, ...args] : step, { cwd: ROOT, env: environment(node), stdio })
}

async function installNode() {
  const needed = (path) => path === `node_modules/${PACKAGE}`
  if (PACKAGE !== undefined && (privateNode() === undefined || !installed(PRIVATE, needed))) {
    say(`this is Node ${process.version} and ${NEEDED} is needed: installing a private Node in tools/node`)
    await npmCi(process.execPath, PRIVATE)
  }
  const node = privateNode()
  if (node === undefined || spawnSync(node, ['--version']).status !== 0) {
    stop(`no private Node runs on this machine. Install Node ${NEEDED} or newer and try again.`)
  }
  return node
}

async function installPackages(node) {
  if (installed(ROOT, (_path, entry) => !entry.optional && !entry.devOptional)) return
  say('installing packages')
  await npmCi(node, ROOT)
}

/** Whether node_modules holds what the lock says, by npm's own note of what it put there. */
function installed(folder, needed) {
  const found = packagesIn(join(folder, 'node_modules', '.package-lock.json'))
  return Object.entries(packagesIn(join(folder, 'package-lock.json'))).every(([path, entry]) => {
    if (path === '') return true
    if (found[path] === undefined) return !needed(path, entry)
    return found[path].version === entry.version && found[path].integrity === entry.integrity
  })
}

function packagesIn(lockfile) {
  return existsSync(lockfile) ? JSON.parse(readFileSync(lockfile, 'utf8')).packages : {}
}

async function npmCi(node, folder) {
  const given = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund']
  const options = { cwd: folder, env: environment(node), stdio: ['ignore', 2, 2] }
  // Under `npm run`, npm says where its program is, which need not be on PATH.
  const cli = process.env.npm_execpath ?? ''
  const code = cli.endsWith('npm-cli.js')
    ? await run(node, [cli, ...given], options)
    : await run('npm', given, { ...options, shell: process.platform === 'win32' })
  if (code !== 0) stop(`npm ci failed in ${folder}`)
}

/** Our own environment with `node` meaning the Node we chose. */
function environment(node) {
  return { ...process.env, PATH: dirname(node) + delimiter + (process.env.PATH ?? '') }
}

/** Waits for the lock and takes it. A lock whose owner is gone, or that is older than any install, counts as free. */
async function lock() {
  for (let waited = 0; ; waited++) {
    try {
      mkdirSync(LOCK)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (abandoned(LOCK)) discard()
    else if (waited === 4) say('waiting for another launcher to finish installing or building')
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  writeFileSync(join(LOCK, 'pid'), String(process.pid))
  const release = () => rmSync(LOCK, { recursive: true, force: true })
  process.once('exit', release)
  return () => {
    process.off('exit', release)
    release()
  }
}

function abandoned(path) {
  try {
    const age = Date.now() - statSync(path).mtimeMs
    const pid = existsSync(join(path, 'pid')) ? Number(readFileSync(join(path, 'pid'), 'utf8')) : 0
    if (pid === 0) return age > 10_000
    return age > LOCK_EXPIRES_MS || !alive(pid)
  } catch {
    return false // it was released while we looked
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Takes an abandoned lock out of the way. Where another launcher was quicker and this is its new one, puts it back. */
function discard() {
  const aside = `${LOCK}-${process.pid}`
  try {
    renameSync(LOCK, aside)
    if (!abandoned(aside)) renameSync(aside, LOCK)
  } catch {
    // Someone else moved it first; the next round looks again.
  }
  rmSync(aside, { recursive: true, force: true })
}

function say(message) {
  process.stderr.write(`postern: ${message}\n`)
}

function stop(message) {
  say(message)
  process.exit(1)
}
