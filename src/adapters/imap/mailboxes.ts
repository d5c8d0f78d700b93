/** The mailboxes of an account, and what their names are on the server. */
import type { Mailbox } from '../../core/message.ts'
import { mustBeDone } from './fetch.ts'
import { encodeName, isOdd, shownName } from './mailbox-names.ts'
import type { Session } from './session.ts'
import { keyword, keywords, type Piece, text } from './wire/command.ts'
import { itemsOf, latin1Of, type Value } from './wire/value.ts'

const ROLES = new Set(['sent', 'drafts', 'trash', 'junk', 'archive', 'all', 'flagged'])

/** Names that are not written in the one right encoding must be remembered as the server writes them. */
export class MailboxNames {
  #odd: ReadonlyMap<string, string> = new Map()
  #learned = false

  raw(name: string): string {
    return this.#odd.get(name) ?? encodeName(name)
  }

  /** Whether a listing could tell more about that name than we know. */
  mayBeOdd(name: string): boolean {
    return !this.#learned && /[^ -%'-~]/.test(name)
  }

  learn(rawNames: readonly string[]): void {
    const plain = new Set(rawNames.filter((raw) => !isOdd(raw)).map(shownName))
    const odd = rawNames.filter((raw) => isOdd(raw) && !plain.has(shownName(raw)))
    this.#odd = new Map(odd.map((raw) => [shownName(raw), raw]))
    this.#learned = true
  }
}

export async function listMailboxes(session: Session, names: MailboxNames, signal: AbortSignal): Promise<Mailbox[]> {
  const exchange = await session.run([listCommand(session)], signal)
  mustBeDone('list', exchange.answers)
  const listed = exchange.data.flatMap((response) =>
    response.kind === 'data' && response.name === 'LIST' ? (readListed(response.values) ?? []) : [],
  )
  names.learn(listed.map(({ rawName }) => rawName))
  const byName = new Map(listed.map(({ mailbox }) => [mailbox.name, mailbox]))
  return [...byName.values()]
}

function listCommand({ capabilities }: Session): Piece[] {
  const plain = [keyword('LIST'), text(''), text('*')]
  // Servers that know roles but not this form name the roles unasked.
  const extended = capabilities.has('SPECIAL-USE') && capabilities.has('LIST-EXTENDED')
  return extended ? [...plain, keyword('RETURN'), keywords('SPECIAL-USE')] : plain
}

interface Listed {
  readonly rawName: string
  readonly mailbox: Mailbox
}

function readListed([attributes, delimiter, name]: readonly Value[]): Listed | undefined {
  const rawName = latin1Of(name)
  if (rawName === undefined || rawName === '') return undefined
  const marks = (itemsOf(attributes) ?? []).map((mark) => (latin1Of(mark) ?? '').toLowerCase().replace(/^\\/, ''))
  const mailbox = {
    name: shownName(rawName),
    delimiter: latin1Of(delimiter) || undefined,
    role: marks.find((mark) => ROLES.has(mark)),
    selectable: !marks.includes('noselect') && !marks.includes('nonexistent'),
  }
  return { rawName, mailbox }
}
