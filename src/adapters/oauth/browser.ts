/**
 * Shows an address in the person's browser.
 *
 * INVARIANT: no shell sees the address, and the browser outlives us. Whether it really opened cannot be known: the
 * address is always shown to the person as well.
 */
import { spawn } from 'node:child_process'

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` is a word of the shell only; this is what it ends up doing.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
const ELSEWHERE: readonly [string, ...string[]] = ['xdg-open']

/** False where there is nothing that could open it. */
export function openBrowser(url: string, platform: NodeJS.Platform): Promise<boolean> {
  if (!/^https?:/.test(url)) return Promise.resolve(false)
  const [program, ...args] = OPENERS[platform] ?? ELSEWHERE
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true, shell: false })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
