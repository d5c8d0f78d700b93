/**
 * Builds the MCP bundle, postern-<version>.mcpb: what npm would install, in one zip with a manifest, for hosts that install with a
 * click. `node tools/mcpb.mjs [FILE]`, after a build.
 *
 * INVARIANT: holds what the lock says, no more: the package's own files and its production packages. The same input gives the same
 * bytes.
 */
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { zipSync } from 'fflate'
import { manifestFor } from './mcpb-manifest.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Zip knows no time before. */
const MTIME = new Date(1980, 0, 1)
/** What only building a package from its sources needs. */
const SOURCES = /^node_modules\/(better-sqlite3\/(deps|src|binding\.gyp)|node-addon-api)(\/|$)/

const about = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const target = resolve(process.argv[2] ?? join(ROOT, `postern-${about.version}.mcpb`))

if (!existsSync(join(ROOT, 'dist', 'postern.cjs'))) {
  process.stderr.write('postern: not built yet: run npm run build\n')
  process.exit(1)
}
const entries = new Map([['manifest.json', bytesOf(`${JSON.stringify(manifestFor(about), undefined, 2)}\n`)]])
// The package says of itself that its files are ES modules or not.
for (const path of [...ownFiles(), ...packageFiles()]) entries.set(path, readFileSync(join(ROOT, path)))
const zip = zipSync(Object.fromEntries([...entries].toSorted(byName)), { level: 9, mtime: MTIME })
writeFileSync(target, zip)
process.stderr.write(`built ${target}: ${entries.size} files, ${(zip.length / 1_000_000).toFixed(1)} MB\n`)

function ownFiles() {
  const plain = ['package.json', 'LICENSE', 'NOTICE', 'README.md', 'CHANGELOG.md']
  return [...plain, ...filesBelow('bin'), ...filesBelow('demo'), ...filesBelow('dist')].filter(
    (path) => !path.startsWith('dist/.v8'),
  )
}

/** Those that are no development dependency, as far as they are installed here: some are for other machines. */
function packageFiles() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional && existsSync(join(ROOT, path)))
    .flatMap(([path]) => filesBelow(path))
    .filter((path) => !SOURCES.test(path))
}

function filesBelow(folder) {
  return globSync(`${folder}/**/*`, { cwd: ROOT })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => statSync(join(ROOT, path)).isFile())
}

function bytesOf(text) {
  return new TextEncoder().encode(text)
}

function byName([a], [b]) {
  return a < b ? -1 : 1
}
