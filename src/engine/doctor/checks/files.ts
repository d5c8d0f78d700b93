/** The files of the data directory: each one that could stop a call, and what to do about it. */
import { count } from '../../../core/text/count.ts'
import type { Check } from '../check.ts'
import { broken, type Finding, ok, warning } from '../finding.ts'
import type { FileLook } from '../world.ts'
import { quoted } from './configuration.ts'

export const filesCheck: Check = {
  name: 'files',
  looksAt: 'the files of the data directory',
  patienceMs: 30_000,
  async run(world) {
    const { path: directory } = await world.directory()
    const looks = await world.files()
    const found = looks.flatMap((look) => findingOf(look, `${directory}/damaged/${stampOf(world.now())}`) ?? [])
    if (found.length > 0 || looks.length === 0) return found
    return [ok(`${count(looks.length, 'file')}, none damaged`)]
  },
}

/** `aside` is where to move what is in the way. */
function findingOf({ path, holds, state, move, without }: FileLook, aside: string): Finding | undefined {
  const words = move.map(quoted).join(' ')
  const away = `run: mkdir -p ${quoted(aside)} && mv ${words} ${quoted(aside)} (${without})`
  const restore = `stop Postern, then put back a copy from a backup, or ${away}`
  const named = `this file (${holds})`
  switch (state) {
    case 'sound':
      return undefined
    case 'damaged':
      return broken(`${named} is damaged`, restore, path)
    case 'foreign':
      return broken(`${named} is a database of another program`, restore, path)
    case 'no_file':
      return broken(`${named} is not a file`, restore, path)
    case 'no_folder':
      return broken('this is not a folder', `stop Postern, then ${away}`, path)
    case 'newer':
      return broken(`${named} was written by a newer version of Postern`, `upgrade Postern, or ${restore}`, path)
    case 'empty':
      return warning(`${named} is empty: if it held anything, that is lost`, restore, path)
    case 'forbidden':
      return broken(
        `${named} cannot be read and written by this user`,
        `run: chown "$USER" ${words} && chmod 600 ${words}`,
        path,
      )
    default:
      return warning(`${named} can be read by other users of this machine`, `run: chmod 600 ${quoted(path)}`, path)
  }
}

function stampOf(now: number): string {
  return new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
}
