/**
 * Every file that Postern keeps in its data directory: what it holds, how to tell that it is sound, and what it costs to do without.
 *
 * INVARIANT: whatever the program makes there has a row here; a test runs the program and compares. A file that is damaged is moved
 * away by a person, never deleted by us; only the mirror, which is a copy, repairs itself.
 */
import { publicKeyFor } from '../adapters/audit/key.ts'
import { LIMITS_FILE } from '../adapters/counter/limits-file.ts'
import { UID_FILE } from '../adapters/gmail/uids/database.ts'
import { JOURNAL_FILE } from '../adapters/journal/schema.ts'
import { MAILBOX_FILE } from '../adapters/local/schema.ts'
import { MIRROR_FILE } from '../adapters/mirror/file/schema.ts'
import { isGrantNote } from '../adapters/oauth/grant-notes.ts'
import { OUTBOX_FILE, READS_FILE } from '../adapters/outbox/schema.ts'
import { KEY_BYTES } from '../adapters/seal/key.ts'
import type { DatabaseKind } from '../ports/database-files.ts'

export interface DataFile {
  /** Of its path in the data directory, with `/` between folders. */
  readonly pattern: RegExp
  readonly holds: string
  readonly content: Content
  /** What is lost with it, as a sentence goes on. */
  readonly without: string
  /** Further files that mean nothing without it. */
  readonly together?: readonly string[]
  /** Others may read it. */
  readonly isPublic?: true
  /** Files that another check of the doctor looks at. */
  readonly isCheckedElsewhere?: true
}

export type Content =
  | { readonly kind: 'database'; readonly of: DatabaseKind }
  /** A file that is locked and stays empty. */
  | { readonly kind: 'lock' }
  /** `beside` reads a file of the data directory. */
  | { readonly kind: 'text'; isSound(bytes: Buffer, beside: (name: string) => string): boolean }
  /** Whatever is in it can stop no call. */
  | { readonly kind: 'any' }

const ANY: Content = { kind: 'any' }
const LOCK: Content = { kind: 'lock' }
const NOTHING = 'nothing is lost'
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const database = (of: DatabaseKind): Content => ({ kind: 'database', of })

export const DATA_FILES: readonly DataFile[] = [
  {
    pattern: /^outbox\.db$/,
    holds: 'outgoing messages and what became of them',
    content: database(OUTBOX_FILE),
    without: 'pending and scheduled messages are lost and are not sent; look in Sent for the others',
  },
  {
    pattern: /^reads\.db$/,
    holds: 'whose mail each caller has read',
    content: database(READS_FILE),
    without: 'what was read before counts as unread when messages are approved automatically',
  },
  {
    pattern: /^limits\.db$/,
    holds: 'counts of calls',
    content: database(LIMITS_FILE),
    without: 'counts of calls begin again',
  },
  {
    pattern: /^wal\.db$/,
    holds: 'transfers between accounts',
    content: database(JOURNAL_FILE),
    without: 'a transfer that was under way may leave its message in both places',
  },
  {
    pattern: /^local\/[^/]+\.db$/,
    holds: 'imported mail',
    content: database(MAILBOX_FILE),
    without: 'the mail in it is lost unless it is imported again with "postern import"',
  },
  {
    pattern: /^gmail\/[^/]+\.db$/,
    holds: "numbers of a Gmail account's messages",
    content: database(UID_FILE),
    without: 'messages get new numbers, so agents must search again',
  },
  {
    pattern: /^mirror\/[^/]+\.db$/,
    holds: 'the local index of an account',
    content: database(MIRROR_FILE),
    without: 'it is built again from the server',
    isCheckedElsewhere: true,
  },
  {
    pattern: /^mirror\/[^/]+\.db\.damaged$/,
    holds: 'a damaged index that was set aside',
    content: ANY,
    without: NOTHING,
    isCheckedElsewhere: true,
  },
  {
    pattern: /^audit\.key$/,
    holds: 'the key that signs the audit log',
    content: { kind: 'text', isSound: (bytes) => publicKeyFor(bytes.toString()) !== undefined },
    without: 'a new key is made; to verify what the old one signed, give "postern audit verify" the old audit.pub',
    together: ['audit.pub'],
  },
  {
    pattern: /^audit\.pub$/,
    holds: 'the public key of the audit log',
    content: { kind: 'text', isSound: isPublicKey },
    without: 'it is made again from audit.key',
    isPublic: true,
  },
  {
    pattern: /^seal\.key$/,
    holds: 'the key of cursors',
    content: { kind: 'text', isSound: ({ length }) => length === KEY_BYTES },
    without: 'cursors that agents hold are void, so they must search again',
  },
  {
    pattern: /^oauth\/[^/]+\.json$/,
    holds: 'what is known of an OAuth grant',
    content: { kind: 'text', isSound: (bytes) => isGrantNote(bytes.toString()) },
    without: 'whether the grant still stands is found out again',
  },
  { pattern: /^audit\/\.(lock|retention)\.db$/, holds: 'a lock of the audit log', content: LOCK, without: NOTHING },
  { pattern: /^oauth\/[^/]+\.lock\.db$/, holds: 'a lock of OAuth grants', content: LOCK, without: NOTHING },
  { pattern: /^mirror\/[^/]+\.db\.lease$/, holds: 'a lock of the local index', content: LOCK, without: NOTHING },
  { pattern: /^slots\/\d+\.lock$/, holds: 'the place of a server', content: LOCK, without: NOTHING },
  { pattern: /^logs\/[^/]+\.lock$/, holds: 'a lock of the log of requests', content: LOCK, without: NOTHING },
  owner(String.raw`outbox\.db\.owner-${UUID}`, 'a lock of the outbox'),
  owner(String.raw`wal\.db\.${UUID}\.owner`, 'a lock of the transfers'),
  {
    pattern: /^audit\/(\.probe|\d{4}-\d{2}-\d{2}\.(jsonl(\.gz(\.part)?)?|ckpt|torn))$/,
    holds: 'the audit log',
    content: ANY,
    without: 'its records are lost',
    isCheckedElsewhere: true,
  },
  { pattern: /^vault\/.+$/, holds: 'approvals', content: ANY, without: NOTHING, isCheckedElsewhere: true },
  { pattern: /^spool\/[^/]+$/, holds: 'a message on its way', content: ANY, without: 'it is fetched again' },
  { pattern: /^logs\/[^/]+$/, holds: 'the log of requests', content: ANY, without: 'older lines are lost' },
  { pattern: /^attachments\/[^/]+$/, holds: 'a saved attachment', content: ANY, without: 'it is fetched again' },
  {
    pattern: /^console\/[^/]+$/,
    holds: 'who is signed in at the console',
    content: ANY,
    without: 'people sign in again',
  },
  { pattern: /^run\/[^/]+$/, holds: 'a server that runs', content: ANY, without: '"postern reload" does not find it' },
  { pattern: /^damaged\//, holds: 'what was moved away', content: ANY, without: NOTHING, isCheckedElsewhere: true },
]

/** The folders that any of them lie in. */
export const DATA_FOLDERS: readonly string[] = [
  'audit',
  'attachments',
  'console',
  'gmail',
  'local',
  'logs',
  'mirror',
  'oauth',
  'run',
  'slots',
  'spool',
]

/** What SQLite keeps beside a database, and what is not whole yet. */
const PASSING = new RegExp(String.raw`(-(wal|shm|journal)|\.part|\.(${UUID}))$`)

/** `path` is within the data directory. Undefined for what is none of ours, or passes. */
export function dataFileOf(path: string): DataFile | 'passing' | undefined {
  const row = DATA_FILES.find(({ pattern }) => pattern.test(path))
  return row ?? (PASSING.test(path) ? 'passing' : undefined)
}

function owner(pattern: string, holds: string): DataFile {
  return { pattern: new RegExp(`^${pattern}$`), holds, content: LOCK, without: 'nothing is lost while no server runs' }
}

/** Where the other key is damaged itself, that is told of it alone. */
function isPublicKey(bytes: Buffer, beside: (name: string) => string): boolean {
  const own = publicKeyFor(beside('audit.key'))
  return own === undefined || bytes.toString().trim() === own
}
