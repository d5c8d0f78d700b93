/**
 * Loads the bundle in dist/ as fast as Node can.
 *
 * Hosts start one process per conversation, so the time to the first answer is what people feel. The bundle is CommonJS,
 * compiled through vm.Script with V8's cached data. Time to the first MCP answer of one 750 kB bundle loaded in three ways,
 * as a multiple of `node -e 0` (Node 24, medians of 80 interleaved starts on a busy two-core machine): plain ESM 5.1, with
 * module.enableCompileCache() 4.3, this way 3.5.
 *
 * INVARIANT: cached data is used only with the very source it was made from. V8 compares no more than the lengths, so
 * each file of the bundle starts with a hash of itself, and that hash is part of the name of its cached data.
 */
const {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs')
const { homedir } = require('node:os')
const { join, sep } = require('node:path')
const vm = require('node:vm')

const DIST = join(__dirname, '..', 'dist') + sep
const ENTRY = 'postern.cjs'
const CACHE_BESIDE = `${DIST}.v8`
const CACHE_EXPIRES_MS = 90 * 24 * 3600_000
// Late enough that a server has answered, so that the functions it needed are in the cached data.
const SETTLED_MS = 2000

const loaded = new Map()
const uncached = new Map()

function start() {
  if (!existsSync(DIST + ENTRY)) {
    process.stderr.write('postern: Postern is not built yet: run npm run build\n')
    process.exitCode = 1
    return
  }
  load(ENTRY)
  process.once('exit', () => {
    // A short command has run too little of the bundle to leave good cached data for a server.
    if (performance.now() > SETTLED_MS || process.env.POSTERN_CACHE_AT_EXIT === '1') saveCached()
  })
}

function load(name) {
  const known = loaded.get(name)
  if (known !== undefined) return known.exports
  const filename = DIST + name
  // The bundle is ASCII, and reading it as Latin-1 spares V8 the decoding.
  const source = readFileSync(filename, 'latin1')
  const cacheName = `${name}.${source.slice(2, 18)}.${process.versions.v8}-${process.arch}`
  const cachedData = readCached(cacheName)
  const wrapped = `(function(exports,require,module,__filename,__dirname){${source}\n})`
  const script = new vm.Script(wrapped, { filename, cachedData })
  if (cachedData === undefined || script.cachedDataRejected) {
    if (uncached.size === 0) setTimeout(saveCached, SETTLED_MS).unref()
    uncached.set(cacheName, script)
  }
  const module = { exports: {} }
  loaded.set(name, module)
  script.runInThisContext()(module.exports, requireFrom, module, filename, DIST)
  return module.exports
}

/** Our own chunks are `./name`; built-in modules and packages are Node's business. */
function requireFrom(id) {
  return id.startsWith('./') ? load(id.slice(2)) : require(id)
}
requireFrom.resolve = require.resolve

function readCached(name) {
  const beside = join(CACHE_BESIDE, name)
  if (existsSync(beside)) return readFileSync(beside)
  const own = join(userCache(), name)
  // Cached data is code: take none from a file that someone else could have put there.
  if (existsSync(own) && statSync(own).uid === (process.getuid?.() ?? 0)) return readFileSync(own)
  return undefined
}

/** Leaves cached data for the next start. It is an optimisation: whatever goes wrong here stays here. */
function saveCached() {
  for (const [name, script] of uncached) {
    uncached.delete(name)
    const data = script.createCachedData()
    if (!saveIn(CACHE_BESIDE, name, data)) saveIn(userCache(), name, data)
  }
}

function saveIn(folder, name, data) {
  const unfinished = join(folder, `${process.pid}.tmp`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(unfinished, data, { mode: 0o600 })
    renameSync(unfinished, join(folder, name))
    for (const file of readdirSync(folder)) {
      if (Date.now() - statSync(join(folder, file)).mtimeMs > CACHE_EXPIRES_MS) rmSync(join(folder, file))
    }
    return true
  } catch {
    return false
  }
}

function userCache() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'postern')
  if (process.platform === 'win32') return join(LOCALAPPDATA || homedir(), 'postern', 'cache')
  return join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'postern')
}

module.exports = { start }
