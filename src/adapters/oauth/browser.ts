/**
 * Shows an address in the person's browser.
 *
 * INVARIANT: no shell sees the address, and the browser outlives us. Whether it really opened cannot be known: the
 * address is always shown to the person as well.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` is a word of the shell only; this is what it ends up doing.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
const ELSEWHERE: readonly [string, ...string[]] = ['xdg-open']

/** Longer than a browser takes to start. */
const KEPT_MS = 60_000

/** False where there is nothing that could open it. */
export function openBrowser(url: string, platform: NodeJS.Platform): Promise<boolean> {
  return /^https?:/.test(url) ? start(url, platform) : Promise.resolve(false)
}

/**
 * For an address that lets in whoever has it: all users of a machine can see the words that a program was started with, so
 * the browser is only told of a page in `folder`, its owner's alone, that leads there. The page goes after a while. The
 * folder must not be a hidden one: browsers that are kept in a box may not look into those.
 */
export async function openUnseen(url: string, platform: NodeJS.Platform, folder: string): Promise<boolean> {
  // There nobody sees the words of others.
  if (platform === 'win32') return openBrowser(url, platform)
  const page = join(folder, `postern-sign-in-${randomUUID()}.html`)
  try {
    await writeFile(page, leadingTo(url), { mode: 0o600, flag: 'wx' })
  } catch {
    return false
  }
  const remove = (): void => rmSync(page, { force: true })
  process.once('exit', remove)
  setTimeout(remove, KEPT_MS).unref()
  return start(pathToFileURL(page).href, platform)
}

function leadingTo(url: string): string {
  const address = new URL(url).href.replaceAll('&', '&amp;')
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${address}"><title>Postern</title>\n`
}

function start(address: string, platform: NodeJS.Platform): Promise<boolean> {
  const [program, ...args] = OPENERS[platform] ?? ELSEWHERE
  return new Promise((resolve) => {
    const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true, shell: false })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
