/**
 * A process that asks for calls: `node taker.ts DIRECTORY COUNT`. Says `ready`, begins when its input ends, and then says how
 * many it got.
 */
import { text } from 'node:stream/consumers'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createCallCounter } from '../../src/adapters/counter/call-counter.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { createLimits } from '../../src/engine/gate/limits.ts'
import { callerWith } from './scene.ts'

const [directory = '', count = '0'] = process.argv.slice(2)
const counter = createCallCounter({ directory, databases: databaseFiles })
const limits = createLimits(counter, systemClock)
const caller = callerWith({ perHour: 500 })

process.stdout.write('ready\n')
await text(process.stdin)
let admitted = 0
for (let call = 0; call < Number(count); call++)
  if ((await limits.admit(caller, 'tool', undefined)) === 0) admitted += 1
await counter.close()
process.stdout.write(`${admitted}\n`)
