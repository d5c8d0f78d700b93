/** What is kept of accounts on this machine. */
import { count } from '../../../core/text/count.ts'
import type { Check } from '../check.ts'
import { broken, type Finding, ok, warning } from '../finding.ts'
import type { MirrorState } from '../world.ts'
import { quoted } from './configuration.ts'

/** Whoever follows a server looks at it far more often. */
const STALE_MS = 60 * 60_000

export const mirrorCheck: Check = {
  name: 'mirror',
  looksAt: 'what is kept of accounts on this machine',
  patienceMs: 20_000,
  async run(world) {
    const looks = world.mirrors.map(async ({ account, state, setAside }) => [
      findingOf(account, await state(), world.now()),
      ...keptAside(account, await setAside?.()),
    ])
    return (await Promise.all(looks)).flat()
  },
}

function keptAside(account: string, path: string | undefined): readonly Finding[] {
  if (path === undefined) return []
  const sentence = 'the mirror was damaged; it was set aside and is built again from the server'
  return [warning(sentence, `see that the disk is sound, then run: rm ${quoted(path)}`, account)]
}

function findingOf(account: string, state: MirrorState, now: number): Finding {
  const word = quoted(account)
  const again = `run: postern forget ${word} --yes && postern sync ${word}`
  switch (state.kind) {
    case 'none':
      return ok(`nothing is kept yet; a server fills it, or "postern sync ${word}"`, account)
    case 'newer':
      return broken('the mirror was written by a newer version of Postern', `upgrade Postern, or ${again}`, account)
    case 'older':
      return warning('the mirror was written by an older version of Postern', `run: postern sync ${word}`, account)
    case 'damaged':
      return broken('the mirror is damaged, or is none of ours', again, account)
    case 'unusable':
      return broken(state.why, 'mend that, then run: postern doctor', account)
    default:
      return usable(account, state, now)
  }
}

function usable(account: string, state: Extract<MirrorState, { kind: 'usable' }>, now: number): Finding {
  const { holder, checkedAt, folders, messages } = state
  const kept = `${count(messages, 'message')} in ${count(folders, 'folder')}`
  if (holder === undefined) return ok(kept, account)
  const { pid } = holder
  const who = pid === undefined ? 'another process' : `process ${pid}`
  const end = pid === undefined ? 'end the servers of this data directory, then start them again' : `run: kill ${pid}`
  if (holder.isStopped) {
    const cure = pid === undefined ? end : `run: kill -CONT ${pid} (or kill -KILL ${pid})`
    return broken(`${who} holds the mirror and is stopped, so nobody keeps it up to date`, cure, account)
  }
  if (checkedAt !== undefined && now - checkedAt > STALE_MS) {
    const since = new Date(checkedAt).toISOString().slice(0, 16)
    return warning(`${who} holds the mirror and has not looked at the server since ${since}Z`, end, account)
  }
  return ok(`${kept}, kept up to date by ${who}`, account)
}
