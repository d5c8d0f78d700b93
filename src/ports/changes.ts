/**
 * Notices that something has changed, whoever changed it: this process or another one of the same data directory.
 *
 * Promises: a change is told within a second, perhaps once for several of them. Costs nothing while nobody watches.
 */
export type ChangeKind = 'outbox' | 'activity' | 'accounts' | 'transfers'

export interface Changes {
  /** From when `begun` is called every change is told. Returns what ends it; after that neither is called. */
  watch(tell: (kind: ChangeKind) => void, begun: () => void): () => void
}
