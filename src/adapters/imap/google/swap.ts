/**
 * Moves a message at Google from one label to another.
 *
 * INVARIANT: the new label is added, and seen to be there, before the old one is taken away; the two never travel
 * together. A failure whose stage is `unlabel` left the message under both: doing it again does no harm. Nothing is
 * sent that would make a label: the destination is looked up first.
 */
import { messageMissing } from '../../../core/absent.ts'
import { Failure } from '../../../core/failure.ts'
import type { Placed } from '../../../ports/mail-source.ts'
import { relocate } from '../changes.ts'
import { Interrupted, mailboxMissing, outcomeUnknown, refused, staleUidvalidity } from '../failures.ts'
import { fetched, mustBeDone } from '../fetch.ts'
import { writing } from '../line/lending.ts'
import type { Pool } from '../line/pool.ts'
import type { Session } from '../line/session.ts'
import type { RawMailboxAt } from '../place.ts'
import { keyword, keywords, type Piece, uidSet } from '../wire/command.ts'
import { itemsOf, type Value } from '../wire/value.ts'
import { GoogleFolders, type GoogleLabel, type GoogleRole, LIST_ALL, labelFor } from './folders.ts'
import { foundUids, idsIn, mustBeGoogle } from './identities.ts'
import { searchAny, word } from './pieces.ts'

const STAGE = 'move'
/** The message may be under both labels from here on. */
const UNLABEL = 'unlabel'

export function swapLabel(
  pool: Pool<Session>,
  at: RawMailboxAt,
  uid: number,
  rawTarget: string,
  signal: AbortSignal,
): Promise<Placed | undefined> {
  const prepare = (session: Session): Promise<Plan> => plan({ session, signal }, at, uid, rawTarget)
  return writing(pool, at.rawName, signal, STAGE, prepare, (session, made) => carryOut({ session, signal }, made))
}

interface Line {
  readonly session: Session
  readonly signal: AbortSignal
}

type Plan =
  | { readonly kind: 'stay'; readonly placed: Placed }
  /** Trash and Spam are no labels beside others: the server itself moves messages out of them, in one step. */
  | { readonly kind: 'restore'; readonly uid: number; readonly rawTarget: string }
  | Swap

interface Swap {
  readonly kind: 'swap'
  readonly id: string
  /** In All Mail, which is open. */
  readonly uid: number
  readonly allMailUidvalidity: number
  readonly add: GoogleLabel | undefined
  readonly remove: GoogleLabel | undefined
  readonly rawTarget: string
  /** Trash or Spam: every other label goes by itself, and the message leaves All Mail. */
  readonly away: boolean
}

async function plan(line: Line, at: RawMailboxAt, uid: number, rawTarget: string): Promise<Plan> {
  const { session, signal } = line
  mustBeGoogle(session)
  const look = [...keywords('UID', 'FETCH'), uidSet(`${uid}`), [keyword('UID'), word('X-GM-MSGID')]]
  const { selected, exchange } = await session.runIn(at.rawName, { command: 'SELECT' }, [look, LIST_ALL], signal)
  if (selected.uidvalidity !== at.uidvalidity) throw staleUidvalidity(at.uidvalidity, selected.uidvalidity)
  mustBeDone('select', exchange.answers)
  const id = idsIn(exchange).get(uid)
  if (id === undefined) throw messageMissing(uid, 'select')
  const folders = new GoogleFolders(exchange)
  const [source, target] = [folders.roleOf(at.rawName) ?? 'label', folders.roleOf(rawTarget)]
  if (target === undefined) throw mailboxMissing(STAGE)
  if (rawTarget === at.rawName) return { kind: 'stay', placed: { uidvalidity: selected.uidvalidity, uid } }
  mustBePossible(source, target)
  if (source === 'trash' || source === 'spam') return { kind: 'restore', uid, rawTarget }
  const away = target === 'trash' || target === 'spam'
  const labels = {
    add: target === 'all' ? undefined : labelFor(rawTarget, target),
    remove: source === 'all' || away ? undefined : labelFor(at.rawName, source),
  }
  const canonical =
    source === 'all'
      ? { uid, allMailUidvalidity: selected.uidvalidity }
      : await openAllMail(line, folders.allMail, id, uid)
  return { kind: 'swap', id, rawTarget, away, ...labels, ...canonical }
}

function mustBePossible(source: GoogleRole, target: GoogleRole): void {
  if (target === 'drafts') throw impossible('a message does not become a draft by being moved to Drafts')
  if (source === 'drafts' && target !== 'trash') {
    throw impossible('a draft stays in Drafts until it is sent; it can be moved to Trash only')
  }
}

async function openAllMail(
  { session, signal }: Line,
  allMail: string | undefined,
  id: string,
  uidHere: number,
): Promise<Pick<Swap, 'uid' | 'allMailUidvalidity'>> {
  if (allMail === undefined) {
    const cure = 'in the settings of Gmail, under Labels, let All Mail be shown in IMAP'
    throw new Failure('unsupported', `the account does not show All Mail, which labels are changed in; ${cure}`)
  }
  const { selected, exchange } = await session.runIn(allMail, { command: 'SELECT' }, [searchAny([id])], signal)
  mustBeDone('select', exchange.answers)
  const [uid] = foundUids(exchange)
  if (uid === undefined) throw messageMissing(uidHere, 'select')
  return { uid, allMailUidvalidity: selected.uidvalidity }
}

async function carryOut(line: Line, made: Plan): Promise<Placed | undefined> {
  if (made.kind === 'stay') return made.placed
  if (made.kind === 'restore') return relocate(line.session, 'MOVE', made.uid, made.rawTarget, line.signal)
  const { add, remove, away } = made
  if (add !== undefined) {
    const labels = await storeLabel(line, '+X-GM-LABELS', made.uid, add.piece, STAGE)
    if (!away && !add.isIn(labels ?? (await readLabels(line, made.uid)))) throw notDone(STAGE)
  }
  if (remove !== undefined) await unlabel(line, made.uid, remove)
  return findPlace(line, made)
}

/** Whatever goes wrong here, the new label is there already. */
async function unlabel(line: Line, uid: number, label: GoogleLabel): Promise<void> {
  try {
    const labels = await storeLabel(line, '-X-GM-LABELS', uid, label.piece, UNLABEL)
    if (labels !== undefined && label.isIn(labels)) throw notDone(UNLABEL)
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    if (error.sent) throw outcomeUnknown(UNLABEL, error.failure)
    const message = 'the message is under its new label, but under the old one too; move it again'
    throw new Failure(error.failure.code, message, { cause: error.failure, stage: UNLABEL })
  }
}

/** The labels that the message has now, where the server says so. */
async function storeLabel(
  { session, signal }: Line,
  how: '+X-GM-LABELS' | '-X-GM-LABELS',
  uid: number,
  label: Piece,
  stage: string,
): Promise<readonly Value[] | undefined> {
  const command = [...keywords('UID', 'STORE'), uidSet(`${uid}`), word(how), [label]]
  const exchange = await session.run([command], signal)
  const [answer] = exchange.answers
  if (answer !== undefined && answer.status !== 'OK') throw refused(stage, answer)
  return itemsOf(fetched(exchange).get(uid)?.get('X-GM-LABELS'))
}

async function readLabels({ session, signal }: Line, uid: number): Promise<readonly Value[]> {
  const command = [...keywords('UID', 'FETCH'), uidSet(`${uid}`), [keyword('UID'), word('X-GM-LABELS')]]
  const exchange = await session.run([command], signal)
  mustBeDone(STAGE, exchange.answers)
  return itemsOf(fetched(exchange).get(uid)?.get('X-GM-LABELS')) ?? []
}

/** The move is done by now: that its new uid cannot be told is no failure. */
async function findPlace({ session, signal }: Line, made: Swap): Promise<Placed | undefined> {
  if (made.add === undefined) return { uidvalidity: made.allMailUidvalidity, uid: made.uid }
  const found = await session
    .runIn(made.rawTarget, { command: 'EXAMINE' }, [searchAny([made.id])], signal)
    .catch(() => undefined)
  const done = found?.exchange.answers.every(({ status }) => status === 'OK') === true
  if (found === undefined || !done) return undefined
  const [uid] = foundUids(found.exchange)
  if (uid === undefined && made.away) throw notDone(STAGE)
  return uid === undefined ? undefined : { uidvalidity: found.selected.uidvalidity, uid }
}

function notDone(stage: string): Failure {
  const what = stage === UNLABEL ? 'take the old label away: the message is under both' : 'put the message there'
  return new Failure('rejected', `Google did not ${what}`, { stage })
}

function impossible(why: string): Failure {
  return new Failure('rejected', why, { stage: STAGE })
}
