/**
 * Senders, recipients and subjects as rules see them, each distinct one kept once.
 *
 * INVARIANT: a line feed stands before, between and behind the members and in none of them. What cannot be known, or cannot
 * be kept so, has no set: rules that need it hide the message.
 */
import { foldText } from '../../core/policy/normal-form.ts'
import type { MirrorDatabase, Value } from './file/database.ts'

/** Maps are emptied when they get large: most mail is from those who wrote before. */
const MOST_KNOWN = 20_000
/** Longer ones are looked up. */
const LONGEST_KNOWN = 1000
const LAST = 'select last_insert_rowid() as id'

export class Sets {
  readonly #senders: SetTable
  readonly #recipients: SetTable
  readonly #subjects: SetTable

  constructor(db: MirrorDatabase) {
    this.#senders = new SetTable(db, 'sender_set', 'addresses')
    this.#recipients = new SetTable(db, 'recipient_set', 'addresses', 'folded', (all) =>
      lines(distinct(all.map(foldText))),
    )
    this.#subjects = new SetTable(db, 'subject_set', 'subjects', 'each_one', (all) =>
      all.length > 1 ? JSON.stringify(all) : null,
    )
  }

  senders(addresses: readonly string[] | undefined): number | null {
    return this.#senders.id(addresses)
  }

  recipients(addresses: readonly string[] | undefined): number | null {
    return this.#recipients.id(addresses && distinct(addresses))
  }

  subjects(subjects: readonly string[] | undefined): number | null {
    return this.#subjects.id(subjects)
  }

  /** What a transaction that failed has left behind is not there. */
  forget(): void {
    for (const table of [this.#senders, this.#recipients, this.#subjects]) table.forget()
  }
}

class SetTable {
  readonly #db: MirrorDatabase
  readonly #find: string
  readonly #add: string
  readonly #more: ((members: readonly string[]) => Value) | undefined
  readonly #known = new Map<string, number>()

  constructor(
    db: MirrorDatabase,
    table: string,
    column: string,
    another?: string,
    more?: (members: readonly string[]) => Value,
  ) {
    const columns = another === undefined ? [column, 'many'] : [column, 'many', another]
    const marks = columns.map(() => '?')
    this.#db = db
    this.#find = `select id from ${table} where ${column} = ?`
    this.#add = `insert into ${table} (${columns}) values (${marks}) on conflict do nothing`
    this.#more = more
  }

  id(members: readonly string[] | undefined): number | null {
    if (members === undefined || members.some((member) => member.includes('\n'))) return null
    const text = lines(members)
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const id = this.#kept(text, members)
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    if (text.length < LONGEST_KNOWN) this.#known.set(text, id)
    return id
  }

  forget(): void {
    this.#known.clear()
  }

  /** Most that are not known are new. Its number is asked for: for a statement that returns it, SQLite makes a table each time. */
  #kept(text: string, members: readonly string[]): number {
    const values = [text, members.length, ...(this.#more === undefined ? [] : [this.#more(members)])]
    const isNew = this.#db.run(this.#add, ...values) > 0
    const kept = isNew ? this.#db.get<Id>(LAST) : this.#db.get<Id>(this.#find, text)
    if (kept === undefined) throw new Error('a set was not kept')
    return kept.id
  }
}

interface Id {
  readonly id: number
}

function distinct(members: readonly string[]): readonly string[] {
  return members.length < 2 ? members : [...new Set(members)]
}

function lines(members: readonly string[]): string {
  return `\n${members.map((member) => `${member}\n`).join('')}`
}
