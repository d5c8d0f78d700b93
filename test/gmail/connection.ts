/** One client: greeting, login, then its commands, one after the other in the order they came. */
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { authenticated, type GmailAccount, isMechanism, TOKEN_CHALLENGE, withPassword } from './login.ts'
import { MAILBOX_COMMANDS } from './mailbox-commands.ts'
import { MESSAGE_COMMANDS } from './message-commands.ts'
import { Closed, CommandReader } from './reader.ts'
import { Refused, type Session } from './session.ts'
import { BadCommand, type Command, type Node, parse, textOf } from './syntax.ts'

/** As Gmail announces them, without what this server does not do: COMPRESS=DEFLATE, UTF8=ACCEPT and QUOTA. */
const BASICS = 'IMAP4rev1 UNSELECT IDLE NAMESPACE ID XLIST CHILDREN X-GM-EXT-1'
export const BEFORE_LOGIN = `${BASICS} XYZZY SASL-IR AUTH=XOAUTH2 AUTH=PLAIN AUTH=OAUTHBEARER`
const MAX_MESSAGE = 35_651_584
const EXTENSIONS = 'UIDPLUS ENABLE MOVE CONDSTORE ESEARCH LIST-EXTENDED LIST-STATUS LITERAL- SPECIAL-USE'
export const AFTER_LOGIN = `${BASICS} ${EXTENSIONS} APPENDLIMIT=${MAX_MESSAGE}`
const TOO_LARGE = { mostBytes: MAX_MESSAGE, answer: 'NO [TOOBIG] Message too large. (Failure)' }
/** While these are under way message numbers must not change (RFC 3501, 7.4.1). */
const KEEPS_NUMBERS = new Set(['FETCH', 'STORE', 'SEARCH'])
const BAD_CREDENTIALS = 'NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)'

export interface House {
  readonly accounts: readonly GmailAccount[]
  readonly maxConnections: number
  /** How long each command takes. */
  readonly slowMs: number
  /** Every command as it came, literals in place, without what is secret. */
  heard(text: string): void
}

export class GmailConnection {
  readonly #socket: Socket
  readonly #reader: CommandReader
  readonly #house: House
  #session: Session | undefined

  constructor(socket: Socket, house: House) {
    this.#socket = socket
    this.#house = house
    this.#reader = new CommandReader(socket)
    socket.on('close', () => {
      if (this.#session !== undefined) this.#session.account.connections -= 1
    })
  }

  async run(): Promise<void> {
    this.#say('* OK Gimap ready for requests from 127.0.0.1 k2if6111336rvb\r\n')
    try {
      for (let open = true; open; ) {
        const command = await this.#reader.command(TOO_LARGE)
        if (command !== undefined) open = await this.#carryOut(command)
      }
      this.#socket.end()
    } catch (error) {
      if (!(error instanceof Closed)) throw error
    }
  }

  async #carryOut(command: Command): Promise<boolean> {
    if (this.#house.slowMs > 0) await wait(this.#house.slowMs)
    const name = command.segments[0]?.split(' ')[0]?.toUpperCase() ?? ''
    const secret = name === 'LOGIN' || name === 'AUTHENTICATE'
    this.#house.heard(secret ? name : spoken(command))
    const answer = await this.#answer(command, name)
    this.#say(`${command.tag} ${answer}\r\n`)
    return name !== 'LOGOUT'
  }

  async #answer(command: Command, name: string): Promise<string> {
    try {
      const [, ...args] = parse(command)
      const general = await this.#general(name, args)
      return (
        general ??
        (this.#session === undefined ? await this.#enter(name, args) : this.#perform(command.tag, name, args))
      )
    } catch (error) {
      if (error instanceof Refused) return error.message
      if (error instanceof BadCommand) return `BAD ${error.message}`
      throw error
    }
  }

  async #general(name: string, args: readonly Node[]): Promise<string | undefined> {
    switch (name) {
      case 'CAPABILITY':
        this.#say(`* CAPABILITY ${this.#session === undefined ? BEFORE_LOGIN : AFTER_LOGIN}\r\n`)
        return 'OK Thats all she wrote! k2if6111336rvb'
      case 'NOOP':
        this.#update('NOOP')
        return 'OK Success'
      case 'ID':
        this.#say('* ID ("name" "GImap" "vendor" "Google, Inc." "support-url" "https://support.google.com/mail")\r\n')
        return 'OK Success'
      case 'LOGOUT':
        this.#say('* BYE LOGOUT Requested\r\n')
        return 'OK 73 good day (Success)'
      case 'ENABLE':
        this.#say(`* ENABLED${args.some((node) => /^condstore$/i.test(textOf(node))) ? ' CONDSTORE' : ''}\r\n`)
        return 'OK Success'
      case 'IDLE':
        return this.#session === undefined ? undefined : this.#idle(this.#session)
      default:
        return undefined
    }
  }

  async #enter(name: string, args: readonly Node[]): Promise<string> {
    const { accounts } = this.#house
    if (name === 'LOGIN') return this.#welcome(withPassword(accounts, textOf(args[0]), textOf(args[1])))
    if (name !== 'AUTHENTICATE') throw new BadCommand(`Unknown command`)
    const mechanism = textOf(args[0]).toUpperCase()
    if (!isMechanism(mechanism)) throw new BadCommand('Invalid SASL mechanism')
    if (args[1] === undefined) this.#say('+ \r\n')
    const given = args[1] === undefined ? await this.#reader.line() : textOf(args[1])
    const account = authenticated(accounts, mechanism, given)
    if (account === undefined && mechanism !== 'PLAIN') {
      this.#say(`+ ${TOKEN_CHALLENGE}\r\n`)
      await this.#reader.line()
    }
    return this.#welcome(account)
  }

  /** The capabilities come as an answer of their own, not in the tagged one. */
  #welcome(account: GmailAccount | undefined): string {
    if (account === undefined) return BAD_CREDENTIALS
    if (account.connections >= this.#house.maxConnections) {
      return 'NO [ALERT] Too many simultaneous connections. (Failure)'
    }
    account.connections += 1
    this.#session = { account, store: account.store, view: undefined, say: (text) => this.#say(text) }
    this.#say(`* CAPABILITY ${AFTER_LOGIN}\r\n`)
    return `OK ${account.user} authenticated (Success)`
  }

  #perform(tag: string, name: string, args: readonly Node[]): string {
    const session = this.#session
    const byUid = name === 'UID'
    const command = byUid ? textOf(args[0]).toUpperCase() : name
    const perform = byUid ? MESSAGE_COMMANDS[command] : (MAILBOX_COMMANDS[command] ?? MESSAGE_COMMANDS[command])
    if (perform === undefined || session === undefined) throw new BadCommand('Unknown command')
    const answer = perform({ session, tag, args: byUid ? args.slice(1) : args, byUid })
    this.#update(byUid ? 'UID' : command)
    return answer
  }

  #update(command: string): void {
    if (!KEEPS_NUMBERS.has(command)) this.#say(this.#session?.view?.update() ?? '')
  }

  async #idle(session: Session): Promise<string> {
    const tell = (): void => this.#update('IDLE')
    this.#say('+ idling\r\n')
    session.store.changes.on('change', tell)
    try {
      tell()
      if (!/^done$/i.test(await this.#reader.line())) throw new BadCommand()
      return 'OK IDLE terminated (Success)'
    } finally {
      session.store.changes.off('change', tell)
    }
  }

  #say(text: string): void {
    if (text !== '' && this.#socket.writable) this.#socket.write(text, 'latin1')
  }
}

function spoken({ segments, literals }: Command): string {
  return segments.map((text, index) => `${text}${literals[index]?.toString('latin1') ?? ''}`).join('')
}
