/** What lies among the approvals. */
import { join } from 'node:path'
import type { ApprovalFile, Approvals } from '../../core/outbox/approval-file.ts'
import type { TakenApproval, VaultFolder } from '../../ports/vault.ts'
import { readApproval } from './approval-reader.ts'
import { namesIn, readText, statOf, unfitness } from './files.ts'
import { idIn, isFit, isHidden, isNote, takenIn, told } from './names.ts'

/** A person's folder holds fewer; beyond, the newest count. */
const MOST_FILES = 1000
const MOST_NAMES = 10_000
const AT_ONCE = 16

const APPROVED: VaultFolder = 'Approved'

interface Seen {
  readonly file: string
  readonly changed: number
}

type Ignored = Approvals['ignored'][number]

/** Oldest first. */
export async function listApprovals(root: string): Promise<Approvals> {
  // Hidden ones are drafts of ours, and what file managers leave everywhere.
  const names = (await namesIn(root, APPROVED)).filter((name) => !isHidden(name)).toSorted()
  const looks = await each(names.slice(0, MOST_NAMES), (name) => look(root, name))
  const seen = looks.filter((one) => one !== undefined && 'changed' in one).toSorted((a, b) => b.changed - a.changed)
  const readings = await each(seen.slice(0, MOST_FILES), ({ file }) => read(root, file))
  const files = readings.filter((one) => one !== undefined && 'at' in one)
  const ignored = [...looks, ...readings].filter((one) => one !== undefined && 'why' in one)
  const beyond = [...seen.slice(MOST_FILES).map(({ file }) => file), ...names.slice(MOST_NAMES)]
  return { files: files.toSorted(byAge), ignored: [...ignored, ...tooMany(beyond)] }
}

export async function listRequests(root: string): Promise<readonly string[]> {
  const names = [...(await namesIn(root, 'Pending_Approval')), ...(await namesIn(root, APPROVED))]
  return [...new Set(names.flatMap((name) => idIn(name) ?? []))].slice(0, MOST_NAMES)
}

export async function listTaken(root: string): Promise<readonly TakenApproval[]> {
  const names = (await namesIn(root, 'Done')).filter((name) => takenIn(name) !== undefined)
  const looks = await each(names, async (name) => {
    const [found, said] = [await statOf(join(root, 'Done', name)), takenIn(name)]
    // A rename changes nothing else of a file.
    return found === undefined || said === undefined ? [] : [{ ...said, age: Date.now() - found.ctimeMs }]
  })
  return looks.flat()
}

async function look(root: string, name: string): Promise<Seen | Ignored | undefined> {
  const file = told(name)
  if (!isFit(name)) return { file, why: 'has a name that is too long or does not show as what it is' }
  if (!isNote(name)) return { file, why: 'does not end in .md' }
  const found = await statOf(join(root, APPROVED, name))
  if (found === undefined) return undefined
  const why = unfitness(found)
  return why === undefined ? { file: name, changed: found.mtimeMs } : { file, why }
}

async function read(root: string, file: string): Promise<ApprovalFile | Ignored | undefined> {
  const content = await readText(join(root, APPROVED, file))
  if (content.kind === 'gone') return undefined
  if (content.kind === 'unfit') return { file, why: content.why }
  const reading = readApproval(file, content.text, content.changed)
  return 'why' in reading ? { file, why: reading.why } : reading
}

function tooMany([first, ...others]: readonly string[]): readonly Ignored[] {
  if (first === undefined) return []
  const why = `and ${others.length} others lie beyond the newest ${MOST_FILES}, which are all that is looked at`
  return [{ file: told(first), why }]
}

function byAge(a: ApprovalFile, b: ApprovalFile): number {
  return a.at - b.at || (a.file < b.file ? -1 : 1)
}

/** A few at a time: files that are open at once are few. */
async function each<T, U>(items: readonly T[], work: (item: T) => Promise<U>): Promise<readonly U[]> {
  const results: U[] = []
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))))
  }
  return results
}
