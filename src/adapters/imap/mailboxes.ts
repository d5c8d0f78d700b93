/** The mailboxes of an account, and what their names are on the server. */
import type { Mailbox } from '../../core/message.ts'
import { protocolFailure, refused } from './failures.ts'
import { mustBeDone } from './fetch.ts'
import type { Session } from './line/session.ts'
import { encodeName, isOdd, shownName } from './mailbox-names.ts'
import { keyword, keywords, latin1Text, type Piece, text } from './wire/command.ts'
import { itemsOf, latin1Of, numberOf, type Value } from './wire/value.ts'

const ATTRIBUTE = /^[!-~]{1,200}$/
const ROLES = new Set(['sent', 'drafts', 'trash', 'junk', 'archive', 'all', 'flagged'])

/** Names that are not written in the one right encoding must be remembered as the server writes them. */
export class MailboxNames {
  #odd: ReadonlyMap<string, string> = new Map()
  #learned = false
  #delimiter: { readonly is: string | undefined } | undefined

  raw(name: string): string {
    return this.#odd.get(name) ?? encodeName(name)
  }

  /** Whether a listing could tell more about that name than we know. */
  mayBeOdd(name: string): boolean {
    return !this.#learned && /[^ -%'-~]/.test(name)
  }

  /** Undefined until a server has said what it is. */
  get delimiter(): { readonly is: string | undefined } | undefined {
    return this.#delimiter
  }

  learnDelimiter(is: string | undefined): void {
    this.#delimiter ??= { is }
  }

  learn(rawNames: readonly string[]): void {
    const plain = new Set(rawNames.filter((raw) => !isOdd(raw)).map(shownName))
    const odd = rawNames.filter((raw) => isOdd(raw) && !plain.has(shownName(raw)))
    this.#odd = new Map(odd.map((raw) => [shownName(raw), raw]))
    this.#learned = true
  }
}

export async function listMailboxes(session: Session, names: MailboxNames, signal: AbortSignal): Promise<Mailbox[]> {
  const listed = (await list(session, listCommand(session), signal)).filter(({ rawName }) => rawName !== '')
  names.learn(listed.map(({ rawName }) => rawName))
  const byName = new Map(listed.map(({ mailbox }) => [mailbox.name, mailbox]))
  // The inbox may have no levels below it, and then no delimiter either.
  const parted = [byName.get('INBOX'), ...byName.values()].find((mailbox) => mailbox?.delimiter !== undefined)
  if (parted !== undefined) names.learnDelimiter(parted.delimiter)
  return [...byName.values()]
}

/** Asks once: `LIST "" ""` names no mailbox, only what parts its levels. */
export async function findDelimiter(
  session: Session,
  names: MailboxNames,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (names.delimiter === undefined) {
    const [root] = await list(session, [keyword('LIST'), text(''), text('')], signal)
    if (root === undefined) throw protocolFailure('no delimiter')
    names.learnDelimiter(root.mailbox.delimiter)
  }
  return names.delimiter?.is
}

/** How many messages each holds, in one round trip. What cannot be looked into counts as not there. */
export async function countMessages(
  session: Session,
  rawNames: readonly string[],
  signal: AbortSignal,
): Promise<(number | undefined)[]> {
  const commands = rawNames.map((name): Piece[] => [keyword('STATUS'), latin1Text(name), keywords('MESSAGES')])
  const { answers, data } = await session.run(commands, signal)
  const bad = answers.find(({ status }) => status !== 'OK' && status !== 'NO')
  if (bad !== undefined) throw refused('status', bad)
  // Servers may write a name in another way than it was asked for.
  const counts = new Map(
    data.flatMap((response) =>
      response.kind === 'data' && response.name === 'STATUS' ? [readStatus(response.values)] : [],
    ),
  )
  return rawNames.map((name, index) => (answers[index]?.status === 'OK' ? counts.get(shownName(name)) : undefined))
}

function readStatus([name, values]: readonly Value[]): [name: string, messages: number | undefined] {
  const items = itemsOf(values) ?? []
  const label = items.findIndex((item) => latin1Of(item)?.toUpperCase() === 'MESSAGES')
  return [shownName(latin1Of(name) ?? ''), label === -1 ? undefined : numberOf(items[label + 1])]
}

async function list(session: Session, command: Piece[], signal: AbortSignal): Promise<Listed[]> {
  const exchange = await session.run([command], signal)
  mustBeDone('list', exchange.answers)
  return exchange.data.flatMap((response) =>
    response.kind === 'data' && response.name === 'LIST' ? (readListed(response.values) ?? []) : [],
  )
}

function listCommand({ capabilities }: Session): Piece[] {
  const plain = [keyword('LIST'), text(''), text('*')]
  // Servers that know roles but not this form name the roles unasked.
  const extended = capabilities.has('SPECIAL-USE') && capabilities.has('LIST-EXTENDED')
  return extended ? [...plain, keyword('RETURN'), keywords('SPECIAL-USE', 'CHILDREN')] : plain
}

interface Listed {
  readonly rawName: string
  readonly mailbox: Mailbox
}

function readListed([attributes, delimiter, name]: readonly Value[]): Listed | undefined {
  const rawName = latin1Of(name)
  if (rawName === undefined) return undefined
  const written = (itemsOf(attributes) ?? []).flatMap((mark) => latin1Of(mark) ?? [])
  const marks = written.map((mark) => mark.toLowerCase().replace(/^\\/, ''))
  const mailbox = {
    name: shownName(rawName),
    delimiter: latin1Of(delimiter) || undefined,
    role: marks.find((mark) => ROLES.has(mark)),
    selectable: !marks.includes('noselect') && !marks.includes('nonexistent'),
    attributes: written.filter((mark) => ATTRIBUTE.test(mark)),
  }
  return { rawName, mailbox }
}
