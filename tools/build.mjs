/**
 * Bundles src/ into dist/.
 *
 * esbuild splits code only in ESM, and bin/load.cjs can give only CommonJS V8's cached data, so this takes two steps:
 * bundle to ESM chunks (each dynamic `import()` in src/ is a chunk of its own, read when it is first needed), then turn
 * every chunk into CommonJS. Hence no top-level await in src/.
 *
 * The console's page (src/surfaces/console/page/) is a bundle of its own for browsers: dist/console/{index.html,app.js,app.css}.
 *
 * Worker threads: `new URL('./x.worker.ts', import.meta.url)` in src/adapters/<folder>/ means dist/<folder>-x.worker.cjs here.
 *
 * INVARIANT: dist/ runs at every moment: files appear whole, those that others refer to come first, and what is no
 * longer part of the bundle goes last. An unchanged source leaves dist/ untouched.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as esbuild from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'dist')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** @type {esbuild.BuildOptions} */
const common = {
  absWorkingDir: ROOT,
  bundle: true,
  write: false,
  metafile: true,
  outdir: DIST,
  outExtension: { '.js': '.cjs' },
  platform: 'node',
  target: 'node22',
  external: ['better-sqlite3', 'unpdf', '@napi-rs/keyring'],
  supported: { 'top-level-await': false },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'external',
  define: {
    __POSTERN_VERSION__: JSON.stringify(version),
    'import.meta.url': 'import_meta_url',
    'import.meta.dirname': '__dirname',
    'import.meta.filename': '__filename',
  },
  plugins: [workerUrls(), englishZod(), noSchemaCompiler(), loginAlone()],
  logLevel: 'warning',
}

const began = performance.now()
const [main, workers, page] = await Promise.all([
  esbuild.build({
    ...common,
    entryPoints: { postern: 'src/main.ts' },
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
  }),
  esbuild.build({
    ...common,
    entryPoints: Object.fromEntries(
      globSync('src/adapters/*/*.worker.ts', { cwd: ROOT }).map((path) => [workerName(path), path]),
    ),
    format: 'cjs',
  }),
  buildPage(),
]).catch(() => process.exit(1)) // esbuild has already said why

const files = new Map()
for (const { path, text } of [...main.outputFiles, ...workers.outputFiles]) {
  if (path.endsWith('.cjs')) files.set(basename(path), stamped(await commonJs(text)))
}
for (const [name, text] of page.files) files.set(`console/${name}`, text)
files.set('THIRD-PARTY.txt', notices([main, workers, ...page.results]))
const changed = writeOut(files)
if (changed || !existsSync(join(DIST, '.v8'))) await warmUp()
const kilobytes = Math.round(files.get('postern.cjs').length / 1024)
process.stderr.write(
  `built dist/ in ${Math.round(performance.now() - began)} ms: ${files.size} files, entry ${kilobytes} kB${changed ? '' : ', unchanged'}\n`,
)

/** One script and one stylesheet, plain names: browsers ask each time whether they have changed. */
async function buildPage() {
  const folder = join(ROOT, 'src/surfaces/console/page')
  const sources = ['main.tsx', 'page.css', 'index.html'].map((name) => join(folder, name))
  if (!sources.every((path) => existsSync(path))) return { files: [], results: [] }
  const result = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: { app: sources[0] },
    bundle: true,
    write: false,
    metafile: true,
    outdir: join(DIST, 'console'),
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'external',
    logLevel: 'warning',
  })
  const script = result.outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? ''
  const { code: style } = await esbuild.transform(readFileSync(sources[1], 'utf8'), { loader: 'css', minify: true })
  const files = [
    ['app.js', script],
    ['app.css', style],
    ['index.html', readFileSync(sources[2], 'utf8')],
  ]
  return { files, results: [result] }
}

async function commonJs(esm) {
  const { code } = await esbuild.transform(esm, {
    format: 'cjs',
    platform: 'neutral',
    target: 'node22',
    supported: { 'dynamic-import': false },
    minifySyntax: true,
    minifyWhitespace: true,
  })
  return code.includes('import_meta_url')
    ? `const import_meta_url=require("node:url").pathToFileURL(__filename).href;${code}`
    : code
}

/** bin/load.cjs looks for cached data under this hash. */
function stamped(code) {
  const ascii = escaped(code)
  return `/*${createHash('sha256').update(ascii).digest('hex').slice(0, 16)}*/${ascii}`
}

/** The bundle is loaded as Latin-1. esbuild escapes what is in strings, but not what is in regular expressions. */
function escaped(code) {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function workerName(path) {
  return `${basename(dirname(path))}-${basename(path, '.ts')}`
}

function workerUrls() {
  return {
    name: 'worker-urls',
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/]adapters[\\/].*\.ts$/ }, ({ path }) => {
        const contents = readFileSync(path, 'utf8').replace(
          /new URL\(\s*'(\.\/[\w-]+\.worker\.ts)',\s*import\.meta\.url,?\s*\)/g,
          (_, worker) => `new URL('./${workerName(join(dirname(path), worker))}.cjs', import.meta.url)`,
        )
        if (/\.worker\.ts['"`]/.test(contents)) {
          return { errors: [{ text: `${path}: name a worker as new URL('./x.worker.ts', import.meta.url)` }] }
        }
        return { contents, loader: 'ts' }
      })
    },
  }
}

/** Leaves out zod's error messages in fifty other languages: 300 kB that every start would read. */
function englishZod() {
  return {
    name: 'english-zod',
    setup(build) {
      build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
        contents: "export { default as en } from './en.js'",
        resolveDir: dirname(path),
      }))
    },
  }
}

/** imapflow opens connections and logs in. What it reads mail and goes through proxies with is a megabyte that nobody here calls. */
function loginAlone() {
  const unused = /^(@zone-eu\/mailsplit(\/.*)?|encoding-japanese|iconv-lite|libbase64|libmime|libqp|pino|socks)$/
  return {
    name: 'login-alone',
    setup(build) {
      build.onResolve({ filter: unused }, ({ path, importer }) =>
        /[\\/]imapflow[\\/]/.test(importer) ? { path, namespace: 'unused' } : undefined,
      )
      build.onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
        contents: `const unused = class { constructor() { throw new Error('${path} is not part of the bundle') } }
          export { unused as default, unused as Headers, unused as SocksClient }`,
      }))
    },
  }
}

/** The MCP library would load a JSON schema compiler, for answers of clients that we never ask for. */
function noSchemaCompiler() {
  return {
    name: 'no-schema-compiler',
    setup(build) {
      build.onLoad({ filter: /[\\/]@modelcontextprotocol[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/ }, () => ({
        contents: "import process from 'node:process'\nexport class DefaultJsonSchemaValidator {}\nexport { process }",
      }))
    },
  }
}

/** The licences of all that is in the bundle: each package's own file, then what its sources say in comments. */
function notices(results) {
  const folders = new Set()
  for (const input of results.flatMap(({ metafile }) => Object.keys(metafile.inputs))) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)
    if (folder !== null) folders.add(folder[0])
  }
  const packages = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
    const file = readdirSync(join(ROOT, folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
    const text = file === undefined ? '' : `\n\n${readFileSync(join(ROOT, folder, file), 'utf8').trim()}`
    return `${name} ${version} (${license})${text}`
  })
  const comments = results
    .flatMap(({ outputFiles }) => outputFiles)
    .filter(({ path, text }) => path.endsWith('.LEGAL.txt') && text.trim() !== '')
    .map(({ text }) => text.trim())
  return `${[...packages, ...new Set(comments)].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

/** Writes what differs and removes what is no longer there. Says whether anything changed. */
function writeOut(files) {
  mkdirSync(DIST, { recursive: true })
  let changed = false
  // The entry comes last: until then the old one runs, on chunks that are all still there.
  const entryLast = [...files].sort(([a], [b]) => Number(a === 'postern.cjs') - Number(b === 'postern.cjs'))
  for (const [name, text] of entryLast) {
    const path = join(DIST, name)
    mkdirSync(dirname(path), { recursive: true })
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
    writeFileSync(`${path}.tmp`, text)
    renameSync(`${path}.tmp`, path)
    changed = true
  }
  const folders = new Set([...files.keys()].map((name) => name.split('/')[0]))
  for (const name of readdirSync(DIST)) {
    if (!folders.has(name) && name !== '.v8') rmSync(join(DIST, name), { recursive: true })
  }
  if (changed) rmSync(join(DIST, '.v8'), { recursive: true, force: true, maxRetries: 5 })
  return changed
}

/**
 * Starts the server once and asks it the first questions of any client, so that the next start finds V8's cached data.
 * No test of anything: a server that does not answer yet only goes without.
 */
async function warmUp() {
  const home = mkdtempSync(join(tmpdir(), 'postern-'))
  const folders = Object.fromEntries(
    ['HOME', 'POSTERN_DATA_DIR', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'].map((name) => [
      name,
      home,
    ]),
  )
  const account = {
    MAIL_IMAP_DEFAULT_HOST: '127.0.0.1',
    MAIL_IMAP_DEFAULT_USER: 'nobody',
    MAIL_IMAP_DEFAULT_PASS: 'none',
  }
  const server = spawn(process.execPath, [join(ROOT, 'bin', 'postern.mjs')], {
    cwd: home,
    env: { PATH: process.env.PATH, ...folders, ...account, POSTERN_CACHE_AT_EXIT: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const impatience = setTimeout(() => server.kill('SIGKILL'), 5000)
  const clientInfo = { name: 'build', version }
  const questions = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list', params: {} },
  ]
  server.stdin.on('error', () => {}) // it ended before we asked
  for (const question of questions) server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...question })}\n`)
  let answers = ''
  server.stdout.on('data', (chunk) => {
    answers += chunk
    if (answers.split('\n').length > 2) server.stdin.end()
  })
  await new Promise((resolve) => server.on('close', resolve))
  clearTimeout(impatience)
  rmSync(home, { recursive: true, force: true })
}
