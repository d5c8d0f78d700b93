/** The mail server that letters of the bench go to, in a process of its own so that neither side shares its thread. Says its port. */
import { startSink } from '../test/smtp/sink.ts'

const sink = await startSink()
setInterval(() => sink.forget(), 1000)
process.stdout.write(`${sink.port}\n`)
