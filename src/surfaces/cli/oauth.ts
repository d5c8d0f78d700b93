/**
 * `postern oauth --account ID`: a person grants access to an account in a browser.
 *
 * INVARIANT: prints the address, what was granted and what to do; never a code or a token.
 */
import { Failure } from '../../core/failure.ts'
import type { Bootstrapped, BootstrapSteps } from '../../engine/credentials/bootstrap.ts'
import type { Terminal } from './program.ts'

export interface OAuthChoice {
  readonly account: string
  /** The browser is on another machine: the person pastes what it shows. */
  readonly paste: boolean
}

export interface OAuthParts {
  /** Finds the account and does the work, bound to its provider, secret store and notes. */
  run(account: string, steps: BootstrapSteps, signal: AbortSignal): Promise<Bootstrapped>
  readonly terminal: Terminal
  /** A person sits at this terminal, so a browser may be opened. */
  readonly interactive: boolean
  openBrowser(url: string): Promise<boolean>
  /** One line from stdin, bounded. */
  readLine(signal: AbortSignal): Promise<string>
  onStop(stop: () => void): void
  readonly timeLimitMs?: number
}

const TIME_LIMIT_MS = 600_000

export async function runOAuth({ account, paste }: OAuthChoice, parts: OAuthParts): Promise<number> {
  const { terminal, timeLimitMs = TIME_LIMIT_MS } = parts
  const ending = new AbortController()
  const minutes = Math.ceil(timeLimitMs / 60_000)
  const late = new Failure('timeout', `nobody granted access within ${minutes} min; run the same command again`)
  const timer = setTimeout(() => ending.abort(late), timeLimitMs)
  parts.onStop(() => ending.abort(new Failure('cancelled', 'stopped; nothing was changed')))
  const steps: BootstrapSteps = {
    paste,
    show: (url) => showAddress(url, paste, parts),
    pasted: (signal) => parts.readLine(signal),
  }
  try {
    const granted = await parts.run(account, steps, ending.signal)
    terminal.print(`${grantedText(account, granted)}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    terminal.complain(`postern: ${error.message}\n`)
    return 1
  } finally {
    clearTimeout(timer)
  }
}

function showAddress(url: string, paste: boolean, { terminal, interactive, openBrowser }: OAuthParts): void {
  terminal.print(`Open this address in your browser and grant access:\n\n${url}\n\n`)
  if (paste) {
    terminal.print(
      'Then the browser shows that it cannot reach a page. Copy the address of that page, paste it here and press Enter:\n',
    )
    return
  }
  terminal.print('Waiting for the browser. If it runs on another machine, stop this and add --paste.\n')
  if (interactive) void openBrowser(url)
}

function grantedText(account: string, { missing, extra, mayWrite }: Bootstrapped): string {
  return [
    `Access to account ${account} was granted, and its refresh token is in the secret store.`,
    ...(missing.length > 0 ? [`note: less was granted than asked for; missing: ${shown(missing)}`] : []),
    ...(extra.length > 0 ? [`note: more was granted than asked for: ${shown(extra)}`] : []),
    ...(mayWrite ? [] : ['note: this scope only reads, so every change to mail is refused']),
  ].join('\n')
}

const MOST_SHOWN = 10
const LONGEST_SHOWN = 100

/** The provider wrote these: only what a scope may consist of, and not too much of it. */
function shown(scopes: readonly string[]): string {
  const safe = scopes.map((scope) => scope.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, LONGEST_SHOWN))
  const more = safe.length > MOST_SHOWN ? ` and ${safe.length - MOST_SHOWN} more` : ''
  return safe.slice(0, MOST_SHOWN).join(' ') + more
}
