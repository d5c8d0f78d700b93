/**
 * A process that asks the outbox for one letter and kills itself at the n-th mark: `node crash-engine.ts ORDER`, an order being
 * JSON. There is a mark before each call of the store, the vault, the sender and the mailbox that changes something, and one
 * after the last of them. A process that lives to the end says on stdout which marks it passed, and what came of the letter.
 */
import type { SendEnding } from '../../src/core/send-ending.ts'
import type { CrashOrder } from './crash-order.ts'
import { type Around, openPlace } from './vault-place.ts'

const order: CrashOrder = JSON.parse(process.argv[2] ?? '{}')
const passed: string[] = []

function pass(name: string): void {
  passed.push(name)
  if (passed.length - 1 === order.mark) process.kill(process.pid, 'SIGKILL')
}

const MARKED = {
  store: ['queue', 'record', 'claim', 'dispatch', 'bytes'],
  vault: ['post', 'take', 'putBack', 'move'],
  sender: ['send'],
  mailbox: ['append'],
}

/** The same, with a mark before each of those calls. */
const marked: Around = (name, part) =>
  new Proxy(part, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      const call = value.bind(target)
      if (!MARKED[name].some((one) => one === key)) return call
      return (...given: readonly unknown[]): unknown => {
        pass(`${name}.${String(key)}`)
        return call(...given)
      }
    },
  })

const place = await openPlace({ port: order.port, directory: order.directory, around: marked })
place.now = order.now
place.rules = { ...place.rules, approval: order.approval }

let ending: SendEnding | { readonly failed: string }
try {
  ending = await place.ask(order.wish)
} catch (error) {
  ending = { failed: error instanceof Error && 'code' in error ? String(error.code) : String(error) }
}
pass('the end')
process.stdout.write(JSON.stringify({ marks: passed, ending }), () => process.exit(0))
