/**
 * Tells a client that waits how things are going, about once a second.
 *
 * INVARIANT: only a client that asked for it is told, and nothing after its answer. What is told only ever grows.
 */
export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message: string
}

/** Tells one client about one request of its own. */
export type Tell = (progress: Progress) => void

/** A mirror that is being filled while somebody waits. */
export interface Syncing {
  /** The folder and how far it is, where the caller may know that. */
  readonly folder?: { readonly name: string; readonly done: number; readonly total: number }
}

const EVERY_MS = 1000

export async function withProgress<T>(
  tell: Tell | undefined,
  syncing: () => Syncing | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (tell === undefined) return work()
  const reports = new Reports(tell, syncing)
  if (syncing() !== undefined) reports.next()
  const timer = setInterval(() => reports.next(), EVERY_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}

class Reports {
  readonly #tell: Tell
  readonly #syncing: () => Syncing | undefined
  #told = 0
  /** Where the folder began that is being synced. */
  #before = 0
  #name: string | undefined

  constructor(tell: Tell, syncing: () => Syncing | undefined) {
    this.#tell = tell
    this.#syncing = syncing
  }

  next(): void {
    const syncing = this.#syncing()
    if (syncing?.folder !== undefined) this.#folder(syncing.folder)
    else this.#say({ progress: this.#told + 1, message: syncing === undefined ? 'working' : 'syncing' })
  }

  /** The next folder, and the next phase of one, begins at nothing again; what is told goes on. */
  #folder({ name, done, total }: Required<Syncing>['folder']): void {
    if (name !== this.#name || this.#before + done < this.#told) this.#before = this.#told
    this.#name = name
    const progress = Math.max(this.#before + done, this.#told + 1)
    const message = `syncing ${name}: ${grouped(done)} of ${grouped(total)}`
    this.#say({ progress, total: Math.max(this.#before + total, progress), message })
  }

  #say(progress: Progress): void {
    this.#told = progress.progress
    this.#tell(progress)
  }
}

function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
