/** A process that fills a tiny log again and again, and tells of every file that was moved aside before it was full. */

import { appendFileSync, statSync } from 'node:fs'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { rotate } from '../../src/adapters/log/rotate.ts'

const [path = '', rounds = '0'] = process.argv.slice(2)
const FULL = 500
const sizeOf = (name: string): number | undefined => statSync(name, { throwIfNoEntry: false })?.size
const isFull = (): boolean => (sizeOf(path) ?? 0) >= FULL

for (let round = 0; round < Number(rounds); round += 1) {
  appendFileSync(path, `${'x'.repeat(99)}\n`)
  if (isFull()) await rotate(path, isFull, fileLocks)
  const moved = sizeOf(`${path}.1`)
  if (moved !== undefined && moved < FULL) process.stdout.write(`${moved} bytes\n`)
}
