/**
 * What has happened in a mailbox since a state.
 *
 * INVARIANT: the state given back was asked for before anything else, so that whatever is not told now is told the next
 * time; something may be told twice. One round trip where nothing has happened, or where the server cannot say what has
 * not; else two.
 */
import { Failure } from '../../../core/failure.ts'
import type { Changes, FolderState, UidFlags } from '../../../core/mirror/state.ts'
import { mailboxMissing, refused, staleUidvalidity } from '../failures.ts'
import { flagsOf, readFetch } from '../fetch.ts'
import type { Taker } from '../line/dialogue.ts'
import type { Selected, Session } from '../line/session.ts'
import { keyword, keywords, modseq, type Piece, uidSet } from '../wire/command.ts'
import type { StatusResponse } from '../wire/value.ts'
import { folderState, leaveAny, stateOf, statesIn, statusCommand } from './state.ts'
import { vanishedIn } from './vanished.ts'

export async function changes(
  session: Session,
  rawName: string,
  since: FolderState,
  signal: AbortSignal,
): Promise<Changes> {
  const look = { session, rawName, since, signal }
  const { capabilities } = session
  if (!capabilities.has('CONDSTORE') && !capabilities.has('QRESYNC')) return everything(look)
  const state = await folderState(session, rawName, signal, leaveAny(session))
  if (state === undefined) throw mailboxMissing('select')
  if (isAnother(since, state)) return { kind: 'remade', state }
  if (isSame(since, state)) return { kind: 'same' }
  if (state.modseq === undefined || since.modseq === undefined) return everything(look)
  // It counts anew: of what has changed since a number that is yet to come it knows nothing.
  if (BigInt(state.modseq) < BigInt(since.modseq)) return everything(look)
  const told = { ...look, state, changedSince: since.modseq }
  return (await resynchronised(told)) ?? changedSince(told)
}

interface Look {
  readonly session: Session
  readonly rawName: string
  readonly since: FolderState
  readonly signal: AbortSignal
}

interface CountedLook extends Look {
  readonly state: FolderState
  readonly changedSince: string
}

/** Uids only ever grow: where the next one is smaller, an older copy was put back, and gives uids out again. */
function isAnother(since: FolderState, state: FolderState): boolean {
  return state.uidvalidity !== since.uidvalidity || state.uidNext < since.uidNext
}

function isSame(since: FolderState, state: FolderState): boolean {
  const quiet = isQuiet(since, state)
  return quiet && (state.messages === 0 || (state.modseq !== undefined && state.modseq === since.modseq))
}

/** Whether nothing can have come or gone. */
function isQuiet(since: FolderState, state: FolderState): boolean {
  return since.uidNext === state.uidNext && since.messages === state.messages
}

/** QRESYNC: all in the answer to opening the mailbox. Undefined where it cannot be had. */
async function resynchronised(look: CountedLook): Promise<Changes | undefined> {
  const { session, since, state } = look
  if (!session.capabilities.has('QRESYNC') || session.qresync === false) return undefined
  const before = enabling(session)
  if (before === undefined) return undefined
  const parameters = [
    keyword('QRESYNC'),
    [uidSet(`${since.uidvalidity}`), modseq(look.changedSince)],
  ] as const satisfies Piece
  const flags = new Flags(since.uidNext)
  try {
    const opening = { command: 'EXAMINE', before, parameters } as const
    const { selected, exchange } = await session.runIn(look.rawName, opening, [], look.signal, undefined, flags.take)
    session.qresync = true
    mustBeSince(since, selected)
    const uids = vanishedIn(exchange.data, since.uidNext)
    // More are left than there are: not all that are gone were named.
    return uids === undefined || since.messages - uids.length > state.messages
      ? undefined
      : { kind: 'changed', state, flags: flags.found(), gone: { kind: 'these', uids } }
  } catch (error) {
    // Announced, and then not to be had: the other way remains.
    if (session.qresync === true || !(error instanceof Failure) || error.code !== 'rejected') throw error
    session.qresync = false
    return undefined
  }
}

/** What must be sent once on a connection, and only while no mailbox is open. */
function enabling(session: Session): Piece[][] | undefined {
  if (session.qresync === true) return []
  if (session.lastOpened !== undefined && !session.capabilities.has('UNSELECT')) return undefined
  return [...leaveAny(session), keywords('ENABLE', 'QRESYNC')]
}

/** CONDSTORE: flags that changed; what is there, only where something may have gone. */
async function changedSince(look: CountedLook): Promise<Changes> {
  const { session, since, state } = look
  const flags = new Flags(since.uidNext)
  const known = knownSet(since)
  const quiet = isQuiet(since, state)
  const commands: Piece[][] =
    known === undefined
      ? []
      : [
          [...fetchFlags(known), [keyword('CHANGEDSINCE'), modseq(look.changedSince)]],
          ...(quiet ? [] : [[...keywords('UID', 'SEARCH', 'UID'), known]]),
        ]
  const opening = { command: 'EXAMINE' } as const
  const { selected, exchange } = await session.runIn(
    look.rawName,
    opening,
    commands,
    look.signal,
    undefined,
    flags.take,
  )
  mustBeSince(since, selected)
  mustBeOk(exchange.answers)
  const uids = exchange.data.flatMap((response) => (response.kind === 'numbers' ? response.numbers : []))
  const gone = quiet ? ({ kind: 'these', uids: [] } as const) : ({ kind: 'all_but', uids } as const)
  return { kind: 'changed', state, flags: flags.found(), gone }
}

/** The flags of all messages: what is not among them is gone. */
async function everything({ session, rawName, since, signal }: Look): Promise<Changes> {
  const flags = new Flags(since.uidNext)
  const known = knownSet(since)
  const leaving = leaveAny(session)
  const before = [...leaving, statusCommand(session, rawName)]
  const commands = known === undefined ? [] : [fetchFlags(known)]
  const limits = { literal: 65_536, response: 16_000_000, exchange: 1_000_000_000 }
  const answer = await session.runIn(rawName, { command: 'EXAMINE', before }, commands, signal, limits, flags.take)
  const state = stateOf(rawName, answer.before[leaving.length], statesIn(answer.exchange.data))
  if (state === undefined) throw mailboxMissing('select')
  if (isAnother(since, state)) return { kind: 'remade', state }
  mustBeSince(since, answer.selected)
  mustBeOk(answer.exchange.answers)
  if (isSame(since, state)) return { kind: 'same' }
  const found = flags.found()
  return { kind: 'changed', state, flags: found, gone: { kind: 'all_but', uids: found.map(({ uid }) => uid) } }
}

/** The uids that a message of that time can have; undefined where it can have none. */
function knownSet({ uidNext }: FolderState): Piece | undefined {
  return uidNext > 1 ? uidSet(`1:${uidNext - 1}`) : undefined
}

function fetchFlags(known: Piece): Piece[] {
  return [...keywords('UID', 'FETCH'), known, keywords('UID', 'FLAGS')]
}

/** It was made anew after its state was asked for. */
function mustBeSince({ uidvalidity }: FolderState, selected: Selected): void {
  if (selected.uidvalidity !== uidvalidity) throw staleUidvalidity(uidvalidity, selected.uidvalidity)
}

/** What a refused command did not tell of would count as gone. */
function mustBeOk(answers: readonly StatusResponse[]): void {
  const bad = answers.find(({ status }) => status !== 'OK')
  if (bad !== undefined) throw refused('fetch', bad)
}

/** The flags of messages below a uid, as they come. */
class Flags {
  readonly #below: number
  readonly #byUid = new Map<number, readonly string[]>()

  constructor(below: number) {
    this.#below = below
  }

  readonly take: Taker = (response) => {
    const message = response.name === 'FETCH' ? readFetch(response) : undefined
    const flags = message === undefined ? undefined : flagsOf(message.items)
    if (message === undefined || flags === undefined) return false
    if (message.uid < this.#below) this.#byUid.set(message.uid, flags)
    return true
  }

  found(): UidFlags[] {
    return Array.from(this.#byUid, ([uid, flags]) => ({ uid, flags }))
  }
}
