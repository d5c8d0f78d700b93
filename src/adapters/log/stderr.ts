/**
 * Lines to stderr.
 *
 * INVARIANT: never stops the event loop nor the process's exit. A host that does not read our stderr fills its pipe; what
 * piles up beyond a bound is dropped and counted. (Node's own stream is right for that: it tries to write at once and
 * keeps the rest. `fs.writeSync` would hang on the full pipe, and `fs.write` would hang the exit.)
 */
const MOST_WAITING = 1_000_000

export function stderrLines(): (line: string) => void {
  const stream = process.stderr
  // A closed stderr is no reason to die, and there is nobody to tell.
  stream.on('error', () => undefined)
  let dropped = 0
  return (line) => {
    if (stream.writableLength > MOST_WAITING) {
      dropped += 1
      return
    }
    if (dropped > 0)
      stream.write(`{"level":"warn","msg":"log lines were dropped: nobody read them","lines":${dropped}}\n`)
    dropped = 0
    stream.write(line)
  }
}
