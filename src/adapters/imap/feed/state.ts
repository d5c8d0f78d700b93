/**
 * Where mailboxes stand.
 *
 * INVARIANT: of this moment, and in one round trip however many. Of a mailbox that is open on a connection, servers tell
 * what that connection has been shown so far: so it is closed first.
 */
import type { FolderState } from '../../../core/mirror/state.ts'
import { protocolFailure, refused } from '../failures.ts'
import type { Exchange } from '../line/dialogue.ts'
import type { Session } from '../line/session.ts'
import { shownName } from '../mailbox-names.ts'
import { isModseq, keyword, keywords, latin1Text, type Piece } from '../wire/command.ts'
import { itemsOf, latin1Of, numberOf, type StatusResponse, uidNumberOf, type Value } from '../wire/value.ts'

/** Undefined for what cannot be looked into, now or ever. */
export async function folderStates(
  session: Session,
  rawNames: readonly string[],
  signal: AbortSignal,
): Promise<readonly (FolderState | undefined)[]> {
  const leaving = leave(session, rawNames)
  const commands = rawNames.map((name) => statusCommand(session, name))
  const { answers, data } = await session.run([...leaving, ...commands], signal)
  const told = statesIn(data)
  return rawNames.map((name, index) => {
    const answer = answers[leaving.length + index]
    return answer?.status === 'NO' ? undefined : stateOf(name, answer, told)
  })
}

/** Undefined where it is not there. */
export async function folderState(
  session: Session,
  rawName: string,
  signal: AbortSignal,
  leaving = leave(session, [rawName]),
): Promise<FolderState | undefined> {
  const { answers, data } = await session.run([...leaving, statusCommand(session, rawName)], signal)
  return stateOf(rawName, answers.at(-1), statesIn(data))
}

/** The same, whichever is open: what the server still has to say of it is then not taken for news of another. */
export function leaveAny(session: Session): Piece[][] {
  return session.lastOpened === undefined ? [] : leave(session, [session.lastOpened])
}

export function statusCommand({ capabilities }: Session, rawName: string): Piece[] {
  const counted = capabilities.has('CONDSTORE') || capabilities.has('QRESYNC') ? keywords('HIGHESTMODSEQ') : []
  return [keyword('STATUS'), latin1Text(rawName), [...keywords('MESSAGES', 'UIDNEXT', 'UIDVALIDITY'), ...counted]]
}

/** What closes the open mailbox if it is one of these. Nothing is ever expunged by that. */
export function leave(session: Session, rawNames: readonly string[]): Piece[][] {
  const { lastOpened } = session
  if (lastOpened === undefined || !rawNames.includes(lastOpened)) return []
  session.selected = undefined
  if (!session.capabilities.has('UNSELECT')) return [[keyword('EXAMINE'), latin1Text(lastOpened)]]
  session.lastOpened = undefined
  return [keywords('UNSELECT')]
}

export type ToldStates = ReadonlyMap<string, ReadonlyMap<string, Value>>

/** What was told, by the name that people see: servers may write a name in another way than it was asked for. */
export function statesIn(data: Exchange['data']): ToldStates {
  const told = new Map<string, ReadonlyMap<string, Value>>()
  for (const response of data) {
    if (response.kind !== 'data' || response.name !== 'STATUS') continue
    const [name, values] = response.values
    told.set(shownName(latin1Of(name) ?? ''), byLabel(itemsOf(values) ?? []))
  }
  return told
}

export function stateOf(
  rawName: string,
  answer: StatusResponse | undefined,
  told: ToldStates,
): FolderState | undefined {
  if (answer?.status === 'NO') return undefinedIfMissing(answer)
  if (answer?.status !== 'OK') throw answer === undefined ? protocolFailure('no answer') : refused('status', answer)
  const values = told.get(shownName(rawName))
  const uidvalidity = uidNumberOf(latin1Of(values?.get('UIDVALIDITY')))
  const [uidNext, messages] = [uidNumberOf(latin1Of(values?.get('UIDNEXT'))), numberOf(values?.get('MESSAGES'))]
  if (uidvalidity === undefined || uidNext === undefined || messages === undefined) {
    throw protocolFailure('no count of a mailbox')
  }
  // 0 is said of a mailbox that keeps none.
  const modseq = latin1Of(values?.get('HIGHESTMODSEQ'))
  return { uidvalidity, uidNext, messages, ...(isModseq(modseq) && { modseq }) }
}

/** One that the server has, and cannot open for the moment, is there. */
function undefinedIfMissing(answer: StatusResponse): undefined {
  const failure = refused('status', answer)
  if (failure.code !== 'not_found' && failure.code !== 'rejected') throw failure
}

function byLabel(items: readonly Value[]): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>()
  for (let at = 0; at + 1 < items.length; at += 2) {
    const value = items[at + 1]
    if (value !== undefined) values.set(latin1Of(items[at])?.toUpperCase() ?? '', value)
  }
  return values
}
