/**
 * Senders, recipients and subjects as rules see them, each distinct one kept once.
 *
 * INVARIANT: a line feed stands before, between and behind the members and in none of them. What cannot be known, or cannot
 * be kept so, has no set: rules that need it hide the message.
 */
import { foldText } from '../../core/policy/normal-form.ts'
import type { MirrorDatabase, Value } from './database.ts'

/** Its maps are emptied when they get large: most mail is from those who wrote before. */
const MOST_KNOWN = 20_000

export class Sets {
  readonly #db: MirrorDatabase
  readonly #known = new Map<string, number>()

  constructor(db: MirrorDatabase) {
    this.#db = db
  }

  senders(addresses: readonly string[] | undefined): number | null {
    return this.#id('sender_set', 'addresses', addresses, (text) => ({ addresses: text }))
  }

  recipients(addresses: readonly string[] | undefined): number | null {
    const folded = (all: readonly string[]) => lines([...new Set(all.map(foldText))])
    return this.#id('recipient_set', 'addresses', addresses && [...new Set(addresses)], (text, all) => ({
      addresses: text,
      folded: folded(all),
    }))
  }

  subjects(subjects: readonly string[] | undefined): number | null {
    return this.#id('subject_set', 'subjects', subjects, (text, all) => ({
      subjects: text,
      each_one: all.length > 1 ? JSON.stringify(all) : null,
    }))
  }

  /** What a transaction that failed has left behind is not there. */
  forget(): void {
    this.#known.clear()
  }

  #id(
    table: string,
    column: string,
    members: readonly string[] | undefined,
    columns: (text: string, members: readonly string[]) => Readonly<Record<string, Value>>,
  ): number | null {
    if (members === undefined || members.some((member) => member.includes('\n'))) return null
    const text = lines(members)
    const known = this.#known.get(`${table}${text}`)
    if (known !== undefined) return known
    const id = this.#find(table, column, text) ?? this.#add(table, { ...columns(text, members), many: members.length })
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    if (text.length < 1000) this.#known.set(`${table}${text}`, id)
    return id
  }

  #find(table: string, column: string, text: string): number | undefined {
    return this.#db.get<{ id: number }>(`select id from ${table} where ${column} = ?`, text)?.id
  }

  #add(table: string, row: Readonly<Record<string, Value>>): number {
    const names = Object.keys(row)
    const sql = `insert into ${table} (${names}) values (${names.map(() => '?')}) returning id`
    const added = this.#db.get<{ id: number }>(sql, ...Object.values(row))
    if (added === undefined) throw new Error('a set was not kept')
    return added.id
  }
}

function lines(members: readonly string[]): string {
  return `\n${members.map((member) => `${member}\n`).join('')}`
}
