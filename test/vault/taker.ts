/** A process that takes files: `node taker.ts DIRECTORY FILE…`. Says `ready`, begins when its input ends, says those it got. */
import { text } from 'node:stream/consumers'
import { createVault } from '../../src/adapters/vault/vault.ts'

const [directory = '', ...files] = process.argv.slice(2)
const vault = createVault({ directory })
process.stdout.write('ready\n')
await text(process.stdin)
const took = await Promise.all(
  files.map(async (file) => ((await vault.take(file, 'letter', () => true)) ? [file] : [])),
)
process.stdout.write(`${took.flat().join(' ')}\n`)
