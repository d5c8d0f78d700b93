/**
 * Tries an account before anything is written of it: logs in, looks around, reads a little.
 *
 * INVARIANT: changes nothing at the server; what is shown of mail is one clean line each.
 */
import { Failure } from '../../core/failure.ts'
import { pathOf } from '../../core/mailbox-path.ts'
import { withRoles } from '../../core/mailbox-roles.ts'
import type { Mailbox } from '../../core/message.ts'
import { decodeUnstructured, firstField } from '../../core/mime/header.ts'
import { isPattern } from '../../core/policy/policy.ts'
import type { FolderRoles } from '../../core/setup/preset.ts'
import { cleanLine } from '../../core/text/plain.ts'
import type { MailSource } from '../../ports/mail-source.ts'

export interface Tried {
  readonly folders: number
  readonly roles: FolderRoles
  /** How many messages the inbox holds. */
  readonly messages: number
  /** The newest subjects of the inbox. */
  readonly subjects: readonly string[]
}

export interface TrialParts {
  readonly source: MailSource
  /** Logs in where letters leave, without sending any. Absent where none are to. */
  logInToSend?(signal: AbortSignal): Promise<void>
}

const SHOWN = 3
const LONGEST_SUBJECT = 80

export async function tryAccount({ source, logInToSend }: TrialParts, signal: AbortSignal): Promise<Tried> {
  const mailboxes = withRoles(await source.mailboxes(signal))
  await logInToSend?.(signal).catch((error: unknown) => {
    throw error instanceof Failure ? atSmtp(error) : error
  })
  const found = await source.find('INBOX', { criteria: {}, take: SHOWN }, signal)
  const at = { mailbox: 'INBOX', uidvalidity: found.uidvalidity }
  const summaries = found.uids.length === 0 ? [] : await source.summaries(at, found.uids, 0, signal)
  return {
    folders: mailboxes.filter(({ selectable }) => selectable).length,
    roles: rolesOf(mailboxes),
    messages: found.total,
    subjects: summaries.map(({ header }) => subjectOf(firstField(header, 'subject'))),
  }
}

/** Whoever has typed two hosts wants to know which one to look at. */
function atSmtp(error: Failure): Failure {
  const details = { ...error.details, server: 'smtp' }
  return new Failure(error.code, error.message, { cause: error, ...(error.stage && { stage: error.stage }), details })
}

function subjectOf(value: string | undefined): string {
  const subject = cleanLine(decodeUnstructured(value ?? '')).text.trim()
  if (subject === '') return '(no subject)'
  return subject.length > LONGEST_SUBJECT ? `${subject.slice(0, LONGEST_SUBJECT - 1)}…` : subject
}

function rolesOf(mailboxes: readonly Mailbox[]): FolderRoles {
  const named = (role: string): string | undefined => {
    const mailbox = mailboxes.find((candidate) => candidate.selectable && candidate.role === role)
    const path = mailbox && pathOf(mailbox.name, mailbox.delimiter)
    // A path that means several could say something else than that folder.
    return path === undefined || isPattern(path) || /[*\0]/.test(path) ? undefined : path
  }
  const [drafts, junk, trash] = ['drafts', 'junk', 'trash'].map(named)
  return {
    ...(drafts !== undefined && { drafts }),
    ...(junk !== undefined && { junk }),
    ...(trash !== undefined && { trash }),
  }
}
