/** An IMAP account as a mail source. */
import { Failure } from '../../core/failure.ts'
import { ANY_UIDVALIDITY } from '../../core/message-id.ts'
import type { GoogleMail } from '../../ports/google-mail.ts'
import type { Log } from '../../ports/log.ts'
import type { MailFeed } from '../../ports/mail-feed.ts'
import type { Abilities, MailboxAt, MailSource } from '../../ports/mail-source.ts'
import { appendEach, appendOrders } from './append-each.ts'
import {
  append,
  appendCommand,
  expunge,
  flagPieces,
  mustBeKept,
  prepareChange,
  relocate,
  storeFlags,
} from './changes.ts'
import { mailboxMissing, sourceClosed } from './failures.ts'
import { changes } from './feed/changes.ts'
import { LongStructures, tooLong } from './feed/long-structures.ts'
import { rowBatches } from './feed/rows.ts'
import { folderState, folderStates } from './feed/state.ts'
import { texts } from './feed/texts.ts'
import { type Watching, watch } from './feed/watch.ts'
import { fence } from './fence.ts'
import { mustBeDone } from './fetch.ts'
import { GoogleMemory, identities } from './google/identities.ts'
import { swapLabel } from './google/swap.ts'
import { connect } from './line/connect.ts'
import { type ExchangeLimits, PLAIN_LIMITS } from './line/dialogue.ts'
import { reading, writing } from './line/lending.ts'
import { DEFAULTS, type ImapOptions } from './line/options.ts'
import { Pool, type PoolSize } from './line/pool.ts'
import { Session } from './line/session.ts'
import { countMessages, findDelimiter, listMailboxes, MailboxNames } from './mailboxes.ts'
import { flags, open, parts, raw, summaries } from './messages.ts'
import type { RawMailboxAt } from './place.ts'
import { prepareRemoval, removeMany } from './removal.ts'
import { find } from './search/find.ts'
import { traits } from './traits.ts'
import { wholeMessages } from './whole-messages.ts'
import { keyword, latin1Text } from './wire/command.ts'

export function createImapSource(options: ImapOptions, log: Log): ImapSource & { connections(): PoolSize } {
  const open = async (signal: AbortSignal): Promise<Session> => new Session(await connect(options, log, signal))
  const pool = new Pool(
    {
      account: options.account,
      max: options.maxConnections ?? DEFAULTS.maxConnections,
      idleCloseMs: options.idleCloseMs ?? DEFAULTS.idleCloseMs,
      open,
    },
    log,
  )
  const { idleRenewMs, watchPollMs: pollMs } = { ...DEFAULTS, ...options }
  const listening = { open: (signal: AbortSignal) => pool.watching(open(signal)), idleRenewMs, pollMs }
  const { appendTimeoutMs: answerMs } = options
  const source = new ImapSource(pool, listening, answerMs === undefined ? undefined : { ...PLAIN_LIMITS, answerMs })
  return Object.assign(source, { connections: () => pool.size })
}

class ImapSource implements MailSource, GoogleMail, MailFeed {
  readonly #pool: Pool<Session>
  readonly #listening: Pick<Watching, 'open' | 'idleRenewMs' | 'pollMs'>
  readonly #appendLimits: ExchangeLimits | undefined
  readonly #closing = new AbortController()
  readonly #names = new MailboxNames()
  readonly #google = new GoogleMemory()
  readonly #longStructures = new LongStructures()
  /** By the name that the server knows: when messages were last looked for. */
  readonly #lookedAt = new Map<string, number>()
  #abilities: Abilities | undefined

  constructor(
    pool: Pool<Session>,
    listening: Pick<Watching, 'open' | 'idleRenewMs' | 'pollMs'>,
    appendLimits: ExchangeLimits | undefined,
  ) {
    this.#pool = pool
    this.#listening = listening
    this.#appendLimits = appendLimits
  }

  probe: MailSource['probe'] = (signal) =>
    reading(this.#pool, undefined, signal, async (session) => {
      mustBeDone('connect', (await session.run([[keyword('NOOP')]], signal)).answers)
      return [...session.capabilities]
    })

  mailboxes: MailSource['mailboxes'] = (signal) =>
    reading(this.#pool, undefined, signal, (session) => listMailboxes(session, this.#names, signal))

  delimiter: MailSource['delimiter'] = async (signal) =>
    this.#names.delimiter === undefined
      ? reading(this.#pool, undefined, signal, (session) => findDelimiter(session, this.#names, signal))
      : this.#names.delimiter.is

  counts: MailSource['counts'] = (mailboxes, signal) => this.#ofEach(mailboxes, signal, countMessages)

  find: MailSource['find'] = (mailbox, search, signal) =>
    this.#looking(mailbox, signal, (session, rawName) => find(session, rawName, search, signal))

  traits: MailSource['traits'] = (at, uids, wanted, signal) =>
    this.#longStructures.traits(at, uids, wanted, (some, its, salvaged) =>
      this.#reading(at, signal, (session, place) => traits(session, place, some, its, signal, salvaged)),
    )

  summaries: MailSource['summaries'] = (at, uids, bodyStartBytes, signal) =>
    this.#reading(at, signal, (session, place) => summaries(session, place, uids, bodyStartBytes, signal))

  open: MailSource['open'] = async (at, uid, signal) => {
    try {
      return await this.#reading(at, signal, (session, place) => open(session, place, uid, signal))
    } catch (error) {
      throw tooLong(error)
    }
  }

  parts: MailSource['parts'] = (at, uid, wanted, signal) =>
    this.#reading(at, signal, (session, place) => parts(session, place, uid, wanted, signal))

  raw: MailSource['raw'] = (at, uid, maxBytes, signal) =>
    this.#reading(at, signal, (session, place) => raw(session, place, uid, maxBytes, signal))

  flags: MailSource['flags'] = (at, uid, signal) =>
    this.#reading(at, signal, (session, place) => flags(session, place, uid, signal))

  abilities: MailSource['abilities'] = async (signal) => {
    this.#abilities ??= await reading(this.#pool, undefined, signal, async ({ capabilities }) =>
      abilitiesOf(capabilities),
    )
    return this.#abilities
  }

  changeFlags: MailSource['changeFlags'] = async (at, uid, change, names, signal) => {
    const pieces = flagPieces(names)
    await this.#changing(at, uid, 'store', signal, (session) => {
      if (change === 'add') mustBeKept(session, names)
      return storeFlags(session, uid, change, pieces, signal)
    })
  }

  copy: MailSource['copy'] = async (at, uid, to, signal) => {
    const target = this.#target(to)
    return this.#changing(at, uid, 'copy', signal, (session) => relocate(session, 'COPY', uid, target, signal))
  }

  move: MailSource['move'] = async (at, uid, to, signal) => {
    const target = this.#target(to)
    if (!(await this.abilities(signal)).move) throw unsupported('cannot move messages in one step (MOVE)')
    return this.#changing(at, uid, 'move', signal, (session) => relocate(session, 'MOVE', uid, target, signal))
  }

  expunge: MailSource['expunge'] = async (at, uid, signal) => {
    if (!(await this.abilities(signal)).expungeByUid) throw unsupported('cannot remove a single message (UIDPLUS)')
    return this.#changing(at, uid, 'expunge', signal, (session) => expunge(session, uid, signal))
  }

  append: MailSource['append'] = async (to, message, signal) => {
    const command = appendCommand(this.#target(to), message)
    const prepare = async (): Promise<void> => undefined
    const send = (session: Session): ReturnType<MailSource['append']> =>
      append(session, command, signal, this.#appendLimits)
    return writing(this.#pool, undefined, signal, 'append', prepare, send)
  }

  fence: MailSource['fence'] = (mailbox, signal) =>
    this.#looking(mailbox, signal, (session, rawName) => fence(session, rawName, signal))

  rawMany: MailSource['rawMany'] = (at, uids, maxBytes, signal) =>
    this.#reading(at, signal, (session, place) => wholeMessages(session, place, uids, maxBytes, signal))

  appendEach: MailSource['appendEach'] = async (to, messages, signal) =>
    appendEach(this.#pool, appendOrders(this.#target(to), messages), signal, this.#appendLimits)

  removeMany: MailSource['removeMany'] = async (at, uids, signal) => {
    if (uids.length === 0) return 'expunged'
    const place = { ...at, rawName: this.#target(at.mailbox) }
    const prepare = (session: Session): Promise<void> => prepareRemoval(session, place, signal)
    const perform = (session: Session): ReturnType<MailSource['removeMany']> => removeMany(session, place, uids, signal)
    return writing(this.#pool, place.rawName, signal, 'expunge', prepare, perform)
  }

  identities: GoogleMail['identities'] = (at, uids, signal) =>
    this.#reading(at, signal, (session, place) => identities(session, place, uids, this.#google, signal))

  swapLabel: GoogleMail['swapLabel'] = async (at, uid, to, signal) => {
    const [rawName, target] = [this.#target(at.mailbox), this.#target(to)]
    return swapLabel(this.#pool, { ...at, rawName }, uid, target, signal)
  }

  state: MailFeed['state'] = async (mailbox, signal) => {
    const [state] = await this.#ofEach([mailbox], signal, async (session, [rawName = ''], stop) => [
      await folderState(session, rawName, stop),
    ])
    if (state === undefined) throw mailboxMissing('status')
    return state
  }

  states: MailFeed['states'] = (mailboxes, signal) => this.#ofEach(mailboxes, signal, folderStates)

  changes: MailFeed['changes'] = (mailbox, since, signal) =>
    this.#looking(mailbox, signal, (session, rawName) => changes(session, rawName, since, signal))

  rows: MailFeed['rows'] = (at, within, signal) =>
    rowBatches({
      ...{ at, within, signal, long: this.#longStructures },
      reading: (work) => this.#reading(at, signal, work),
    })

  texts: MailFeed['texts'] = (at, wanted, signal) =>
    this.#reading(at, signal, (session, place) => texts(session, place, wanted, signal))

  watch: MailFeed['watch'] = async (mailbox, onChange, signal) => {
    const watching = { ...this.#listening, rawName: this.#target(mailbox), onChange }
    await watch(watching, AbortSignal.any([signal, this.#closing.signal]))
    if (!signal.aborted) throw sourceClosed()
  }

  close: MailSource['close'] = async () => {
    this.#closing.abort()
    this.#pool.close()
  }

  /** One answer for each name. What cannot be the name of a mailbox is the name of none. */
  async #ofEach<T>(
    mailboxes: readonly string[],
    signal: AbortSignal,
    look: (session: Session, rawNames: readonly string[], signal: AbortSignal) => Promise<readonly (T | undefined)[]>,
  ): Promise<readonly (T | undefined)[]> {
    const run = async (): Promise<readonly (T | undefined)[]> => {
      const asked = mailboxes.filter(isName).map((name) => this.#target(name))
      if (asked.length === 0) return mailboxes.map(() => undefined)
      const answers = await reading(this.#pool, undefined, signal, (session) => look(session, asked, signal))
      const byName = new Map(asked.map((rawName, index) => [rawName, answers[index]]))
      return mailboxes.map((name) => (isName(name) ? byName.get(this.#target(name)) : undefined))
    }
    const answers = await run()
    const doubtful = mailboxes.some((name, index) => answers[index] === undefined && this.#names.mayBeOdd(name))
    if (!doubtful) return answers
    await this.mailboxes(signal)
    return run()
  }

  /** What is read of it from now on is read as it is from now on. */
  #looking<T>(mailbox: string, signal: AbortSignal, work: (session: Session, raw: string) => Promise<T>): Promise<T> {
    return this.#reading({ mailbox, uidvalidity: ANY_UIDVALIDITY }, signal, (session, { rawName }) => {
      this.#lookedAt.set(rawName, performance.now())
      return work(session, rawName)
    })
  }

  async #reading<T>(
    at: MailboxAt,
    signal: AbortSignal,
    work: (session: Session, at: RawMailboxAt) => Promise<T>,
  ): Promise<T> {
    const run = (): Promise<T> => {
      const rawName = this.#target(at.mailbox)
      const place = { ...at, rawName, lookedAt: this.#lookedAt.get(rawName) }
      return reading(this.#pool, place.rawName, signal, (session) => work(session, place))
    }
    try {
      return await run()
    } catch (error) {
      if (!isMissing(error) || !this.#names.mayBeOdd(at.mailbox)) throw error
      await this.mailboxes(signal)
      return run()
    }
  }

  #changing<T>(
    at: MailboxAt,
    uid: number,
    stage: string,
    signal: AbortSignal,
    perform: (session: Session) => Promise<T>,
  ): Promise<T> {
    const place = { ...at, rawName: this.#target(at.mailbox) }
    const prepare = (session: Session): Promise<void> => prepareChange(session, place, uid, signal)
    return writing(this.#pool, place.rawName, signal, stage, prepare, perform)
  }

  /** The name as the server knows it, refused before anything is sent where it cannot be one. */
  #target(mailbox: string): string {
    if (mailbox === '') throw new Failure('not_found', 'a mailbox without a name does not exist')
    if (!isName(mailbox)) throw new Failure('invalid_input', 'a mailbox name holds no line breaks and no NUL')
    const rawName = this.#names.raw(mailbox)
    latin1Text(rawName)
    return rawName
  }
}

function isName(mailbox: string): boolean {
  return mailbox !== '' && !/[\r\n\0]/.test(mailbox)
}

function abilitiesOf(capabilities: ReadonlySet<string>): Abilities {
  return { move: capabilities.has('MOVE'), expungeByUid: capabilities.has('UIDPLUS') }
}

function unsupported(what: string): Failure {
  return new Failure('unsupported', `the mail server ${what}`)
}

function isMissing(error: unknown): boolean {
  return error instanceof Failure && error.code === 'not_found' && error.stage === 'select'
}
