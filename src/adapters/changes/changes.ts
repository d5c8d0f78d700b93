/**
 * Looks at files twice a second, while somebody watches: whoever wrote to one, its time of change has moved.
 *
 * INVARIANT: one look for all who watch. A look that takes long delays the next one; none is made at the same time.
 */
import { stat } from 'node:fs/promises'
import type { ChangeKind, Changes } from '../../ports/changes.ts'

const LOOK_MS = 500

export interface Watched {
  readonly kind: ChangeKind
  /** Those that are written to with it, by this moment's names. None of them needs to be there. */
  files(): readonly string[]
  /** Something in this process that changes with it. */
  stamp?(): string
}

export function createChanges(watched: readonly Watched[], lookMs = LOOK_MS): Changes {
  const watchers = new Set<(kind: ChangeKind) => void>()
  let known: ReadonlyMap<ChangeKind, string> = new Map()
  let timer: NodeJS.Timeout | undefined
  let firstLook: Promise<void> = Promise.resolve()

  async function look(): Promise<void> {
    const now = new Map(await Promise.all(watched.map(async (one) => [one.kind, await stampOf(one)] as const)))
    const before = known
    known = now
    for (const [kind, stamp] of now) {
      if (before.has(kind) && before.get(kind) !== stamp) for (const tell of watchers) tell(kind)
    }
  }

  function again(): void {
    timer = setTimeout(() => {
      void look().finally(() => {
        if (watchers.size > 0) again()
      })
    }, lookMs)
    timer.unref()
  }

  function begin(): void {
    known = new Map()
    firstLook = look().finally(() => {
      if (watchers.size > 0) again()
    })
  }

  return {
    watch(tell, begun) {
      // Each has its own, though the same function be given twice.
      const watcher = (kind: ChangeKind): void => tell(kind)
      watchers.add(watcher)
      if (watchers.size === 1) begin()
      void firstLook.then(() => {
        if (watchers.has(watcher)) begun()
      })
      return () => {
        if (!watchers.delete(watcher) || watchers.size > 0) return
        clearTimeout(timer)
      }
    },
  }
}

async function stampOf({ files, stamp }: Watched): Promise<string> {
  const stamps = await Promise.all(files().map(fileStamp))
  return [...stamps, stamp?.() ?? ''].join('\n')
}

async function fileStamp(path: string): Promise<string> {
  return stat(path).then(
    ({ mtimeMs, size, ino }) => `${path} ${ino} ${mtimeMs} ${size}`,
    () => path,
  )
}
