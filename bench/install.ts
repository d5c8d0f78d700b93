/** What a user's disk gets: the packed tarball, installed without development packages into an empty folder. */
import { execFile } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { count, megabytes } from './figures.ts'
import type { Section } from './report.ts'
import { inTemporaryFolder, ROOT } from './servers.ts'

const run = promisify(execFile)
const LARGEST = 5

export async function install(): Promise<Section> {
  return inTemporaryFolder(async (folder) => {
    // The bench has just built; packing must not build again.
    await npm(ROOT, 'pack', '--ignore-scripts', '--pack-destination', folder)
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
    const packed = lstatSync(join(folder, tarball)).size
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    await npm(folder, 'install', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`)
    const packages = installedPackages(folder)
    const sizes = packages.map((path) => ({ name: path.replace('node_modules/', ''), bytes: ownSize(folder, path) }))
    const total = diskUse(join(folder, 'node_modules'))
    const largest = sizes.toSorted((a, b) => b.bytes - a.bytes).slice(0, LARGEST)
    return {
      title: 'Production install',
      note: 'npm pack, then npm install of the tarball without development packages; bytes as the disk counts them.',
      head: ['', 'size'],
      rows: [
        ['the tarball', megabytes(packed)],
        [`${packages.length} packages`, megabytes(total)],
        ...largest.map(({ name, bytes }) => [`of it ${name}`, megabytes(bytes)]),
      ],
      goals: [
        { what: 'size', measured: total, atMost: 60e6, write: megabytes },
        { what: 'packages', measured: packages.length, atMost: 40, write: count },
      ],
    }
  })
}

/** Under `npm run`, npm says where its program is, which need not be on PATH. */
async function npm(cwd: string, ...args: string[]): Promise<void> {
  const cli = process.env['npm_execpath'] ?? ''
  if (cli.endsWith('npm-cli.js')) await run(process.execPath, [cli, ...args], { cwd })
  else await run('npm', args, { cwd, shell: process.platform === 'win32' })
}

function installedPackages(folder: string): string[] {
  const lock = readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8')
  const { packages } = JSON.parse(lock) as { packages: Record<string, unknown> }
  // A package for another platform is in the list without being there.
  return Object.keys(packages).filter((path) => lstatSync(join(folder, path), { throwIfNoEntry: false }) !== undefined)
}

function ownSize(folder: string, path: string): number {
  const nested = join(folder, path, 'node_modules')
  const inner = lstatSync(nested, { throwIfNoEntry: false }) === undefined ? 0 : diskUse(nested)
  return diskUse(join(folder, path)) - inner
}

function diskUse(path: string): number {
  const { blocks, size } = lstatSync(path)
  const own = process.platform === 'win32' ? size : blocks * 512
  return lstatSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + diskUse(join(path, name)), own)
    : own
}
