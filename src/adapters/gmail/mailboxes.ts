/**
 * The account's mailboxes, found by name.
 *
 * INVARIANT: a name that is not known is looked for at Gmail before it is said to be missing. Whoever begins with a name has it
 * looked up anew, since people rename labels and give their names to others; what then follows by uid may use what is known, until
 * that has grown old. A uid is only used under the uidvalidity it was seen under.
 */
import { ABSENT_DESTINATION, mailboxMissing } from '../../core/absent.ts'
import { Failure } from '../../core/failure.ts'
import type { Mailbox } from '../../core/message.ts'
import { ANY_UIDVALIDITY } from '../../core/message-id.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import { labelsIn, totalIn } from './answers.ts'
import { type GmailClient, segment } from './client/client.ts'
import { ALL_MAIL, canonicalName, type Folder, foldersOf, isFitName, isOwn, mailboxesOf } from './labels.ts'
import type { LabelState, UidStore } from './uids/store.ts'

const FRESH_MS = 30_000

export interface FolderAt extends LabelState {
  readonly folder: Folder
}

export class Mailboxes {
  readonly #client: GmailClient
  readonly #uids: UidStore
  readonly #elapsed: () => number
  #folders: ReadonlyMap<string, Folder> = new Map()
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(client: GmailClient, uids: UidStore, elapsed: () => number) {
    this.#client = client
    this.#uids = uids
    this.#elapsed = elapsed
  }

  async list(signal: AbortSignal): Promise<readonly Mailbox[]> {
    return mailboxesOf([...(await this.#look(signal)).values()])
  }

  /** Undefined for one that is not there. One round trip for all, and one more for names that are new. */
  async counts(names: readonly string[], signal: AbortSignal): Promise<readonly (number | undefined)[]> {
    const fit = names.filter(isFitName).map(canonicalName)
    const known = fit.every((name) => this.#known(name) !== undefined) ? this.#folders : await this.#look(signal)
    const folders = names.map((name) => known.get(canonicalName(name)))
    const wanted = new Set(folders.flatMap((folder) => pathsFor(folder)))
    const paths = [...wanted]
    const answers = await this.#client.batch(
      paths.map((path) => ({ path })),
      signal,
      totalIn,
    )
    const totals = new Map(paths.map((path, index) => [path, answers[index]]))
    const total = (path: string): number | undefined => {
      const answer = totals.get(path)
      return answer?.kind === 'found' ? answer.value : undefined
    }
    return folders.map((folder) => {
      const [own, ...without] = pathsFor(folder).map(total)
      return own === undefined ? undefined : without.reduce<number>((rest, part) => rest - (part ?? 0), own)
    })
  }

  async get(name: string, signal: AbortSignal): Promise<Folder> {
    mustFit(name)
    const folder = await this.#find(name, signal)
    if (folder === undefined) throw mailboxMissing()
    return folder
  }

  /** As it is called at this moment, or at any after `since`. Only labels that people made can have another name. */
  async current(name: string, signal: AbortSignal, since = this.#elapsed()): Promise<Folder> {
    mustFit(name)
    const folder = await this.#findNow(name, signal, since)
    if (folder === undefined) throw mailboxMissing()
    return folder
  }

  /** On the clock of `current`. */
  moment(): number {
    return this.#elapsed()
  }

  /** Where a message goes to. */
  async destination(name: string, signal: AbortSignal): Promise<Folder> {
    mustFit(name)
    const folder = await this.#findNow(name, signal, this.#elapsed())
    if (folder === undefined) throw new Failure('not_found', ABSENT_DESTINATION, { stage: 'append' })
    return folder
  }

  async stateOf(name: string, signal: AbortSignal, known?: Folder): Promise<FolderAt> {
    const folder = known ?? (await this.get(name, signal))
    return { folder, ...(await this.#uids.state(folder.id, signal)) }
  }

  /** The mailbox as it was when the uid was seen. */
  async at({ mailbox, uidvalidity }: MailboxAt, signal: AbortSignal): Promise<FolderAt> {
    const state = await this.stateOf(mailbox, signal)
    if (state.uidvalidity === uidvalidity) return state
    throw new Failure('conflict', 'the mailbox was made anew since this message id was given out', {
      details: { uidvalidity: state.uidvalidity },
    })
  }

  /** The same for whoever only looks: `ANY_UIDVALIDITY` is the one it has now. */
  seenAt(at: MailboxAt, signal: AbortSignal): Promise<FolderAt> {
    return at.uidvalidity === ANY_UIDVALIDITY ? this.stateOf(at.mailbox, signal) : this.at(at, signal)
  }

  /** By the label's id, for whoever knows only that. */
  async byId(id: string, signal: AbortSignal): Promise<Folder | undefined> {
    const known = [...this.#folders.values()].find((folder) => folder.id === id)
    return known ?? [...(await this.#look(signal)).values()].find((folder) => folder.id === id)
  }

  async #find(name: string, signal: AbortSignal): Promise<Folder | undefined> {
    const canonical = canonicalName(name)
    return this.#known(canonical) ?? (await this.#look(signal)).get(canonical)
  }

  async #findNow(name: string, signal: AbortSignal, since: number): Promise<Folder | undefined> {
    const canonical = canonicalName(name)
    const known = isOwn(canonical) || this.#lookedAt >= since ? this.#known(canonical) : undefined
    return known ?? (await this.#look(signal)).get(canonical)
  }

  #known(canonical: string): Folder | undefined {
    const isFresh = this.#elapsed() - this.#lookedAt < FRESH_MS
    return isFresh ? this.#folders.get(canonical) : undefined
  }

  async #look(signal: AbortSignal): Promise<ReadonlyMap<string, Folder>> {
    const lookedAt = this.#elapsed()
    const answer = await this.#client.read({ path: 'labels', stage: 'select' }, signal)
    this.#folders = new Map(foldersOf(labelsIn(answer)).map((folder) => [folder.name, folder]))
    this.#lookedAt = lookedAt
    return this.#folders
  }
}

function mustFit(name: string): void {
  if (name !== '' && !isFitName(name)) {
    throw new Failure('invalid_input', 'a mailbox name holds no control characters')
  }
}

/** Whose totals make that of the folder: the first, without the others. */
function pathsFor(folder: Folder | undefined): readonly string[] {
  if (folder === undefined) return []
  return folder.id === ALL_MAIL ? ['profile', 'labels/TRASH', 'labels/SPAM'] : [`labels/${segment(folder.id)}`]
}
