/** A server and a mirror in memory, for tests of who does what when. What they hold is tested on real ones. */
import { Failure } from '../../src/core/failure.ts'
import type { Mailbox } from '../../src/core/message.ts'
import type { Changes, FolderState, MirrorDepth, Row } from '../../src/core/mirror/state.ts'
import type { SyncParts } from '../../src/engine/sync/sync-parts.ts'
import type { MailFeed } from '../../src/ports/mail-feed.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'
import type { MirroredFolder, MirrorStore } from '../../src/ports/mirror-store.ts'
import { silentLog } from '../dovecot/silent-log.ts'

interface Letter {
  readonly uid: number
  flags: string[]
  modseq: number
}

interface Box {
  uidvalidity: number
  uidNext: number
  modseq: number
  role?: string
  letters: Letter[]
  vanished: { uid: number; modseq: number }[]
  /** It keeps no modseq, and tells all flags each time it is asked what has changed. */
  plain?: boolean
}

/** Every call is noted in `calls`; `before` may throw, or change something, as it comes. */
export class MemoryServer {
  readonly boxes = new Map<string, Box>()
  readonly calls: string[] = []
  /** How many rows come at once. */
  batch = 3
  before: (call: string) => void | Promise<void> = () => undefined
  /** Once the server has answered what has changed, and nobody has heard it yet. */
  after: (call: string) => void | Promise<void> = () => undefined
  /** Resolves a watch under way, or rejects it. */
  watching: { change: () => void; lose: (error: Error) => void } | undefined

  add(name: string, letters: number, role?: string): Box {
    const box: Box = { uidvalidity: 7, uidNext: 1, modseq: 1, letters: [], vanished: [], ...(role && { role }) }
    this.boxes.set(name, box)
    this.deliver(name, letters)
    return box
  }

  deliver(name: string, count: number): void {
    const box = this.#box(name)
    for (let left = count; left > 0; left--) {
      box.modseq += 1
      box.letters.push({ uid: box.uidNext++, flags: [], modseq: box.modseq })
    }
  }

  flag(name: string, uid: number, flags: string[]): void {
    const box = this.#box(name)
    const letter = box.letters.find((one) => one.uid === uid)
    box.modseq += 1
    if (letter !== undefined) Object.assign(letter, { flags, modseq: box.modseq })
  }

  expunge(name: string, uid: number): void {
    const box = this.#box(name)
    box.modseq += 1
    box.letters = box.letters.filter((one) => one.uid !== uid)
    box.vanished.push({ uid, modseq: box.modseq })
  }

  /** As servers may that know no QRESYNC: its number of changes stays as it was. */
  vanish(name: string, uid: number): void {
    const box = this.#box(name)
    box.letters = box.letters.filter((one) => one.uid !== uid)
  }

  /** Of changes since a number that is yet to come it tells all there is. */
  countAnew(name: string): void {
    const box = this.#box(name)
    box.modseq = 1
    for (const letter of box.letters) letter.modseq = 1
  }

  #box(name: string): Box {
    const box = this.boxes.get(name)
    if (box === undefined) throw new Failure('not_found', 'no such mailbox')
    return box
  }

  async #note(call: string): Promise<void> {
    this.calls.push(call)
    await this.before(call)
  }

  readonly source = {
    mailboxes: async (): Promise<readonly Mailbox[]> => {
      await this.#note('mailboxes')
      return [...this.boxes].map(([name, { role }]) => ({
        ...{ name, role, delimiter: '/', selectable: !name.startsWith('['), attributes: [] },
      }))
    },
  } as unknown as MailSource

  readonly feed: MailFeed = {
    state: async (mailbox) => {
      await this.#note(`state ${mailbox}`)
      return stateOf(this.#box(mailbox))
    },
    states: async (mailboxes) => {
      await this.#note('states')
      return mailboxes.map((name) => {
        const box = this.boxes.get(name)
        return box && stateOf(box)
      })
    },
    changes: async (mailbox, since) => {
      await this.#note(`changes ${mailbox}`)
      const changes = changesOf(this.#box(mailbox), since)
      await this.after(`changes ${mailbox}`)
      return changes
    },
    rows: (at, { from, to }) => this.#rows(at.mailbox, at.uidvalidity, from, to),
    texts: async () => {
      throw new Error('no texts here')
    },
    watch: (mailbox, onChange, signal) => {
      this.calls.push(`watch ${mailbox}`)
      return new Promise((resolve, reject) => {
        this.watching = { change: onChange, lose: reject }
        signal.addEventListener('abort', () => resolve())
      })
    },
  }

  async *#rows(mailbox: string, uidvalidity: number, from: number, to: number): AsyncIterable<readonly Row[]> {
    const uids = this.#box(mailbox).letters.map(({ uid }) => uid)
    const wanted = uids.filter((uid) => uid >= from && uid <= to).sort((a, b) => b - a)
    for (let start = 0; start < wanted.length || start === 0; start += this.batch) {
      const batch = wanted.slice(start, start + this.batch)
      await this.#note(`rows ${mailbox} ${batch.join(' ')}`.trim())
      const box = this.#box(mailbox)
      if (box.uidvalidity !== uidvalidity) throw new Failure('conflict', 'another folder')
      yield box.letters.filter(({ uid }) => batch.includes(uid)).map(({ uid, flags }) => rowOf(uid, flags))
    }
  }
}

function stateOf({ uidvalidity, uidNext, modseq, letters, plain }: Box): FolderState {
  return { uidvalidity, uidNext, messages: letters.length, ...(!plain && { modseq: String(modseq) }) }
}

function changesOf(box: Box, since: FolderState): Changes {
  const state = stateOf(box)
  if (box.uidvalidity !== since.uidvalidity) return { kind: 'remade', state }
  if (box.plain || Number(since.modseq) > box.modseq) return everything(box, since, state)
  if (state.modseq === since.modseq && state.uidNext === since.uidNext) {
    return state.messages === since.messages ? { kind: 'same' } : everything(box, since, state)
  }
  const then = Number(since.modseq)
  const old = box.letters.filter(({ uid, modseq }) => uid < since.uidNext && modseq > then)
  const gone = box.vanished.filter(({ modseq }) => modseq > then).map(({ uid }) => uid)
  return {
    kind: 'changed',
    state,
    flags: old.map(({ uid, flags }) => ({ uid, flags })),
    gone: { kind: 'these', uids: gone },
  }
}

function everything({ letters }: Box, since: FolderState, state: FolderState): Changes {
  const known = letters.filter(({ uid }) => uid < since.uidNext)
  const flags = known.map(({ uid, flags }) => ({ uid, flags: [...flags] }))
  return { kind: 'changed', state, flags, gone: { kind: 'all_but', uids: known.map(({ uid }) => uid) } }
}

function rowOf(uid: number, flags: readonly string[]): Row {
  const text = { id: '1', type: 'text/plain', parameters: {}, disposition: undefined, filename: undefined }
  const structure = { ...text, contentId: undefined, encoding: '7bit', size: 1, children: [] }
  return { uid, received: uid, size: 1, flags, header: new Uint8Array(), headerCut: false, structure }
}

interface Kept {
  state: FolderState
  filledDownTo: number
  rows: Map<number, Row>
  indexed: Set<number>
  depth: MirrorDepth
  authservId: string | undefined
  checkedAt: number
}

/** What several processes share: each has a `MemoryMirror` on it. */
export class MemoryFile {
  readonly folders = new Map<string, Kept>()
  holder: MemoryMirror | undefined
}

export class MemoryMirror {
  readonly file: MemoryFile
  readonly calls: string[] = []
  /** How many messages came at once. */
  readonly sizes: number[] = []

  constructor(file = new MemoryFile()) {
    this.file = file
  }

  async lease() {
    if (this.file.holder !== undefined && this.file.holder !== this) return undefined
    this.file.holder = this
    return {
      release: async () => {
        if (this.file.holder === this) this.file.holder = undefined
      },
    }
  }

  #write(call: string): void {
    if (this.file.holder !== this) throw new Error(`${call} without the lease`)
    this.calls.push(call)
  }

  #kept(mailbox: string): Kept {
    const kept = this.file.folders.get(mailbox)
    if (kept === undefined) throw new Error(`no folder ${mailbox}`)
    return kept
  }

  async remake(mailbox: string, state: FolderState) {
    this.#write(`remake ${mailbox}`)
    const empty = {
      rows: new Map(),
      indexed: new Set<number>(),
      depth: 'headers' as const,
      authservId: undefined,
      checkedAt: 0,
    }
    this.file.folders.set(mailbox, { ...empty, state, filledDownTo: state.uidNext })
  }

  async clear() {
    this.#write('clear')
    this.file.folders.clear()
  }

  async noteMailboxes() {}

  async drop(mailboxes: readonly string[]) {
    this.#write(`drop ${mailboxes.join(' ')}`)
    for (const mailbox of mailboxes) this.file.folders.delete(mailbox)
  }

  async fill(mailbox: string, rows: readonly Row[], downTo: number) {
    this.#write(`fill ${mailbox} ${downTo}`)
    const kept = this.#kept(mailbox)
    for (const row of rows) kept.rows.set(row.uid, row)
    kept.filledDownTo = downTo
  }

  apply: MirrorStore['apply'] = async (mailbox, { state, flags, gone, arrived }) => {
    this.#write(`apply ${mailbox}`)
    this.sizes.push(arrived.length)
    const kept = this.#kept(mailbox)
    for (const row of arrived) if (!kept.rows.has(row.uid)) kept.rows.set(row.uid, row)
    for (const { uid, flags: now } of flags) {
      const row = kept.rows.get(uid)
      if (row !== undefined) kept.rows.set(uid, { ...row, flags: now })
    }
    for (const uid of gone) {
      kept.rows.delete(uid)
      kept.indexed.delete(uid)
    }
    kept.state = state
    kept.checkedAt = 0
  }

  async unread(mailbox: string, most: number) {
    const { rows, indexed } = this.#kept(mailbox)
    return [...rows.values()].filter(({ uid }) => !indexed.has(uid)).slice(0, most)
  }

  index: MirrorStore['index'] = async (mailbox, texts, depth, authservId) => {
    this.#write(`index ${mailbox}`)
    const kept = this.#kept(mailbox)
    for (const { uid } of texts) if (kept.rows.has(uid)) kept.indexed.add(uid)
    kept.depth = depth
    kept.authservId = authservId
  }

  async tidy() {
    this.#write('tidy')
  }

  async folder(mailbox: string): Promise<MirroredFolder | undefined> {
    const kept = this.file.folders.get(mailbox)
    if (kept === undefined) return undefined
    const { rows, indexed, ...rest } = kept
    return { mailbox, ...rest, kept: rows.size, indexed: indexed.size }
  }

  async folders() {
    const all = await Promise.all([...this.file.folders.keys()].map((name) => this.folder(name)))
    return all.filter((folder) => folder !== undefined)
  }

  async uids(mailbox: string) {
    return [...this.#kept(mailbox).rows.keys()].sort((a, b) => a - b)
  }

  /** `uid:flags` of everything in a folder. */
  contents(mailbox: string): string[] {
    const rows = [...this.#kept(mailbox).rows.values()].sort((a, b) => a.uid - b.uid)
    return rows.map(({ uid, flags }) => `${uid}:${flags.join(' ')}`)
  }
}

export function memoryParts(server: MemoryServer, mirror: MemoryMirror, more: Partial<SyncParts> = {}): SyncParts {
  let elapsed = 0
  return {
    account: { id: 'work', source: server.source },
    feed: server.feed,
    store: mirror as unknown as MirrorStore,
    content: { texts: async () => [], document: () => Promise.reject(new Error('no documents here')) },
    depth: 'headers',
    clock: { now: () => 0, elapsed: () => elapsed },
    log: silentLog,
    pause: async (ms) => {
      elapsed += ms
      await new Promise((resolve) => setImmediate(resolve))
    },
    ...more,
  }
}
