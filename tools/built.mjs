/**
 * Whether dist/ is what the sources would build to, so that nobody waits for the same again.
 *
 * INVARIANT: by contents, not by times: a file that was put back with its old time is seen. What cannot be read counts as
 * changed.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './private-node.mjs'

const NOTE = join(ROOT, 'tools', '.built')
const DIST = join(ROOT, 'dist')
/** All that a build reads. What is installed stands in the note of npm. */
const SOURCES = ['src', 'tools/build.mjs', 'package.json', 'node_modules/.package-lock.json']
/** Grows while the program runs. */
const CACHE = join(DIST, '.v8')

export function isBuilt(node) {
  try {
    return existsSync(CACHE) && readFileSync(NOTE, 'utf8') === stateNow(node)
  } catch {
    return false
  }
}

/** Before a build: one that is broken off leaves no note. */
export function forgetBuilt() {
  rmSync(NOTE, { force: true })
}

export function noteBuilt(node) {
  writeFileSync(NOTE, stateNow(node))
}

function stateNow(node) {
  const hash = createHash('sha256').update(node)
  for (const name of SOURCES)
    for (const path of filesIn(join(ROOT, name))) hash.update(`\0${path}\0`).update(readFileSync(path))
  for (const path of filesIn(DIST)) {
    const { size, mtimeMs } = statSync(path)
    hash.update(`\0${path}\0${size}\0${mtimeMs}`)
  }
  return hash.digest('hex')
}

function filesIn(path) {
  if (path === CACHE) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)))
}
