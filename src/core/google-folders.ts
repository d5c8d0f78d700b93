/**
 * Gmail's own folders under their English names. Over IMAP their names follow the account's language (`[Gmail]/Entwürfe`);
 * their special-use attributes (RFC 6154, and `\Important`) do not.
 *
 * INVARIANT: an English name stands for a folder only where no folder of the account has that very name.
 *
 *     new GoogleFolders(mailboxes, true).named('[Gmail]/Drafts') // '[Gmail]/Entwürfe'
 */
import type { Mailbox } from './message.ts'

const PREFIXES = ['[Gmail]/', '[Google Mail]/']

const ATTRIBUTES: Readonly<Record<string, string>> = {
  'All Mail': '\\all',
  Drafts: '\\drafts',
  Important: '\\important',
  'Sent Mail': '\\sent',
  Spam: '\\junk',
  Starred: '\\flagged',
  Trash: '\\trash',
}

const ENGLISH_NAMES = PREFIXES.flatMap((prefix) => Object.keys(ATTRIBUTES).map((name) => `${prefix}${name}`))

export function isGoogleName(path: string): boolean {
  return ENGLISH_NAMES.includes(path)
}

/** For queries, which take names in any letter case. */
export function googleNameIn(written: string): string | undefined {
  const wanted = written.trim().toLowerCase()
  return ENGLISH_NAMES.find((name) => name.toLowerCase() === wanted)
}

export class GoogleFolders {
  /** The account's own name for each English one that stands for a folder. */
  readonly #own: ReadonlyMap<string, string>

  /** `isGoogle` where the account is known to be Google's; elsewhere only folders below `[Gmail]` and the like count. */
  constructor(mailboxes: readonly Mailbox[], isGoogle: boolean) {
    const listed = new Set(mailboxes.map(({ name }) => name))
    const able = mailboxes.filter(
      // Google separates levels with a slash, so that names are paths.
      ({ name, selectable, delimiter }) =>
        selectable && delimiter === '/' && (isGoogle || prefixOf(name) !== undefined),
    )
    this.#own = new Map(
      ENGLISH_NAMES.filter((english) => !listed.has(english)).flatMap((english) => {
        const found = able.find(({ attributes }) => hasAttribute(attributes, attributeOf(english)))
        return found === undefined ? [] : [[english, found.name] as const]
      }),
    )
  }

  /** The account's own name for the folder; the same name where it is no other one's. */
  named(name: string): string {
    return this.#own.get(name) ?? name
  }

  /** The English names of a folder, those with its own prefix first. */
  englishFor(name: string): readonly string[] {
    const prefix = prefixOf(name)
    const wanted = name.normalize('NFC')
    return [...this.#own]
      .filter(([, own]) => own.normalize('NFC') === wanted)
      .map(([english]) => english)
      .toSorted((a, b) => Number(prefixOf(b) === prefix) - Number(prefixOf(a) === prefix))
  }
}

function prefixOf(name: string): string | undefined {
  return PREFIXES.find((prefix) => name.startsWith(prefix))
}

function attributeOf(english: string): string | undefined {
  return ATTRIBUTES[english.slice(english.indexOf('/') + 1)]
}

function hasAttribute(attributes: readonly string[], wanted: string | undefined): boolean {
  return attributes.some((attribute) => attribute.toLowerCase() === wanted)
}
