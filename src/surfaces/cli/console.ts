/**
 * `postern console`: serves the console on this machine until told to stop, and prints the link that opens it.
 *
 * INVARIANT: a link is good for one sign-in. Nothing is served to other machines.
 */
import { Failure } from '../../core/failure.ts'
import type { ServedConsole } from '../console/console.ts'
import { USUAL_PORT } from './choices.ts'
import type { Terminal } from './program.ts'
import { type ConsoleService, serveConsole } from './serve-console.ts'

export interface ConsoleChoice {
  readonly config?: string
  /** Absent for the usual one, or any free one where that is taken. */
  readonly port?: number
  /** Whether a browser is to be started. */
  readonly open: boolean
  /** Only a new link, to what is served already. */
  readonly link: boolean
}

export interface OpenedConsole {
  readonly door: ServedConsole
  close(): Promise<void>
}

export interface ConsoleCommandParts {
  open(config: string | undefined): Promise<OpenedConsole>
  /** New links to the consoles that are served at this moment. */
  newLinks(): Promise<readonly string[]>
  openBrowser(url: string): Promise<boolean>
  readonly terminal: Terminal
  /** Whether a person is there whose browser could be started. */
  readonly interactive: boolean
  onStop(stop: () => void): void
}

const USUAL_CONSOLE_PORT = USUAL_PORT + 1

export async function consoleCommand(choice: ConsoleChoice, parts: ConsoleCommandParts): Promise<number> {
  if (choice.link) return printLinks(parts)
  const { terminal } = parts
  const opened = await parts.open(choice.config)
  try {
    const service = await served(opened.door, choice.port)
    opened.door.announce(service.origin)
    const link = await opened.door.newLink(service.origin)
    const stopped = new Promise<void>((resolve) => parts.onStop(resolve))
    terminal.print(`The console is at ${service.origin}/console/\nThis link signs you in once, within 10 minutes:\n\n`)
    terminal.print(`  ${link}\n\nStop with Ctrl-C.\n`)
    if (choice.open && parts.interactive) await parts.openBrowser(link)
    await stopped
    opened.door.close()
    await service.stop()
    return 0
  } finally {
    await opened.close()
  }
}

async function printLinks({ newLinks, terminal }: ConsoleCommandParts): Promise<number> {
  const links = await newLinks()
  for (const link of links) terminal.print(`${link}\n`)
  if (links.length > 0) return 0
  terminal.complain('postern: no console is being served; "postern console" serves one\n')
  return 1
}

/** A first try should not end at a port that something else has taken. */
async function served(door: ServedConsole, port: number | undefined): Promise<ConsoleService> {
  try {
    return await serveConsole(door, port ?? USUAL_CONSOLE_PORT)
  } catch (error) {
    if (port !== undefined || !(error instanceof Failure)) throw error
    return serveConsole(door, 0)
  }
}
