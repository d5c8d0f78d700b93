/** Plays many rounds, several at a time, each lane with a mail server and mailboxes of its own. */
import { readJournal } from './journal-reader.ts'
import { openPlace, type Place } from './place.ts'
import type { Ending, Plan, Setting } from './plan.ts'
import { playRound } from './round.ts'

/** So many rounds share a data directory, so that what one leaves behind can trouble the next. */
const ROUNDS_TOGETHER = 25

export type Draft = Omit<Plan, 'number'>

export interface Lanes {
  /** The endings come in the order of the drafts. */
  play(drafts: readonly Draft[], onEnding?: (ending: Ending) => void): Promise<readonly Ending[]>
  /** Finishes the rounds that are under way, and plays no more. */
  stop(): void
  close(): Promise<void>
}

export async function openLanes(count: number): Promise<Lanes> {
  const places: Place[] = []
  for (let lane = 0; lane < count; lane += 1) places.push(await openPlace())
  let number = 0
  let stopped = false
  return {
    play: async (drafts, onEnding = () => undefined) => {
      const waiting = [...drafts.entries()]
      const endings: Ending[] = []
      const playOn = async (place: Place): Promise<void> => {
        let setting: Setting | undefined
        for (
          let played = 0, next = waiting.shift();
          next !== undefined && !stopped;
          next = waiting.shift(), played += 1
        ) {
          if (setting === undefined || played % ROUNDS_TOGETHER === 0) setting = renewed(setting, place)
          const [index, draft] = next
          number += 1
          const ending = await playRound({ number, ...draft }, setting)
          endings[index] = ending
          onEnding(ending)
        }
        setting?.journal.close()
      }
      await Promise.all(places.map(playOn))
      return endings.filter((ending) => ending !== undefined)
    },
    stop: () => {
      stopped = true
    },
    close: async () => {
      await Promise.all(places.map((place) => place.close()))
    },
  }
}

function renewed(before: Setting | undefined, place: Place): Setting {
  before?.journal.close()
  const dataDir = place.newDataDir()
  return { place, dataDir, journal: readJournal(dataDir) }
}
