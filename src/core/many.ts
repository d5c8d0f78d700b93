/** Actions on several messages of a folder: what was decided for each of them, and how it ended. */
import type { Level } from './policy/level.ts'
import type { FlagsChange, Issue, Relocation } from './results.ts'

/** What was decided for one of several messages: the level it has for the caller, or why it stays as it is. */
export interface MarkVerdict {
  readonly uid: number
  readonly level?: Level
  readonly denied?: 'visibility_would_rise'
  readonly issue?: Issue
}

/** How it ended for one of several messages. */
export interface MarkEnding {
  readonly uid: number
  /** The most that may be shown of it. */
  readonly level: Level
  readonly denied?: 'visibility_would_rise'
  /** Absent where it was denied. */
  readonly change?: FlagsChange
}

/** How it ended for one of several messages. */
export interface RelocationEnding {
  readonly uid: number
  readonly denied?: 'visibility_would_rise'
  /** Absent where it was denied. */
  readonly relocation?: Relocation
}
