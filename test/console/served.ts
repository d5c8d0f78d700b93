/** The built program with a console: `postern console`, or the one beside `/mcp`. */

import { PROGRAM } from '../imap/postern.ts'
import { RawProcess } from '../mcp/raw-process.ts'

export interface ServedProcess {
  readonly process: RawProcess
  readonly origin: string
  /** The one that it printed. */
  readonly link: string
  stop(): Promise<number | null>
}

export async function startServed(words: readonly string[], env: Record<string, string>): Promise<ServedProcess> {
  const process = new RawProcess([PROGRAM, ...words], env)
  const link = await linkOf(process)
  return {
    process,
    origin: new URL(link).origin,
    link,
    stop() {
      process.child.kill('SIGTERM')
      return process.exitCode()
    },
  }
}

async function linkOf(process: RawProcess): Promise<string> {
  const said = (): string | undefined =>
    /http:\S+\/console\/sign-in\?token=\S+/.exec(process.output + process.errors)?.[0]
  for (let ended = false; !ended; ) {
    const link = said()
    if (link !== undefined) return link
    ended = await Promise.race([
      process.exitCode().then(() => true),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 20)),
    ])
  }
  throw new Error(`it ended before it printed a link:\n${process.errors}`)
}
