/**
 * Puts together what a caller wrote and leaves it among the drafts. Nothing is sent.
 *
 * INVARIANT: a message that is answered is one that the caller may read: of any other nothing is quoted, not even its
 * Message-ID, and one that it may not know of is not there.
 */
import { messageMissing } from '../../core/absent.ts'
import { composeMessage } from '../../core/compose/compose.ts'
import type { StrictAddress } from '../../core/compose/strict-address.ts'
import type { Quoted } from '../../core/compose/threading.ts'
import { Failure } from '../../core/failure.ts'
import type { Opened } from '../../core/message.ts'
import type { MessageRef } from '../../core/message-id.ts'
import { formatAddresses } from '../../core/mime/addresses.ts'
import { atLeast } from '../../core/policy/level.ts'
import { isPattern } from '../../core/policy/policy.ts'
import type { Account } from '../accounts/accounts.ts'
import { placeDraft } from './place-draft.ts'
import { readMessage } from './read-message.ts'
import type { Perform, Workshop } from './workshop.ts'

const QUOTED_CHARS = 50_000

export const composeDraft: Perform<'compose_draft'> = async ({ account: id, mailbox, letter, repliesTo }, workshop) => {
  const account = workshop.accounts.get(id)
  if (account.address === undefined) throw nameless(id)
  const sheet = {
    letter,
    from: account.address,
    date: Math.floor(workshop.clock.now() / 1000),
    uniqueName: crypto.randomUUID(),
  }
  // What the caller wrote wrongly is told before anything is fetched for it.
  composeMessage({ ...sheet, original: undefined })
  const original = repliesTo && (await answered(repliesTo, account, workshop))
  const { bytes, to, cc, subject } = composeMessage({ ...sheet, original })
  const placed = await placeDraft(account, mailbox, bytes, workshop)
  return { ref: placed && { account: id, mailbox, ...placed }, to: shown(to), cc: shown(cc), subject }
}

function shown(list: readonly StrictAddress[]): readonly string[] {
  return list.map((one) => formatAddresses([one]))
}

async function answered(message: MessageRef, account: Account, workshop: Workshop): Promise<Quoted> {
  const { sight, signal } = workshop
  if (message.account !== account.id) throw messageMissing(message.uid)
  const folder = await sight.folder(account, message.mailbox, signal)
  if (!folder.named || !(await isListed(message.mailbox, folder.path, account, workshop))) {
    throw messageMissing(message.uid)
  }
  if (folder.uniform?.level === 'NONE') throw messageMissing(message.uid)
  const opened = await openedOrMissing(message, workshop)
  const { level } = sight.verdict(account, folder, opened)
  if (level === 'NONE') throw messageMissing(message.uid)
  if (!atLeast(level, 'BODY')) {
    throw new Failure('invalid_input', 'the message that this answers may not be read (visibility_below_BODY)', {
      stage: 'answered',
    })
  }
  const reading = { needs: 'BODY', depth: 'BODY', bodyChars: QUOTED_CHARS, html: false } as const
  const view = await readMessage(
    { kind: 'read_message', message, ...reading, attachmentChars: undefined },
    workshop,
    level,
  )
  const { header, received } = opened
  return { header, received, text: view.text ?? '', truncated: view.textTruncated }
}

/** Whatever of it is not there, or hidden because it is too large to be judged where that is concealed, is the same to hear. */
async function openedOrMissing(message: MessageRef, { opened, sight }: Workshop): Promise<Opened> {
  try {
    return await opened(message)
  } catch (error) {
    const code = error instanceof Failure ? error.code : undefined
    if (code === 'not_found' || (code === 'too_large' && sight.conceals)) throw messageMissing(message.uid)
    throw error
  }
}

/** Some servers open a mailbox under other spellings of its name, which a pattern of the policy may match. */
async function isListed(mailbox: string, pattern: string, { source }: Account, { signal }: Workshop): Promise<boolean> {
  if (!isPattern(pattern)) return true
  return (await source.mailboxes(signal)).some(({ name, selectable }) => selectable && name === mailbox)
}

function nameless(id: string): Failure {
  const what = `account "${id}" has no address to write from; set identity in accounts.yaml, or MAIL_IMAP_<ACCOUNT>_EMAIL`
  return new Failure('invalid_input', what, { stage: 'identity' })
}
