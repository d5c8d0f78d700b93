/**
 * Changes the labels of one message: flags and keywords over IMAP, labels at Google.
 *
 * INVARIANT: nothing is changed before every label is known to be possible. What fails first fails the call; what fails
 * after something was done is told beside it.
 */
import type { ChangeLabelsAction } from '../../core/action.ts'
import { type FlagChange, knownLabel, labelFlags, labelsOf, systemFlagNamed } from '../../core/decision/flags.ts'
import { Failure } from '../../core/failure.ts'
import { pathOf } from '../../core/mailbox-path.ts'
import type { MessageRef } from '../../core/message-id.ts'
import type { LabelsChange } from '../../core/results.ts'
import type { Account } from '../accounts/accounts.ts'
import { isFlagLabel, labelPlaces } from './label-places.ts'
import { issueOf, Steps } from './steps.ts'
import type { Perform, Workshop } from './workshop.ts'

/** RFC 3501 atom characters. */
const KEYWORD = /^[!#$&'+,./0-9:;<=>?@A-Z[^_`a-z|}~-]{1,100}$/
const FOLDERS = new Set(['INBOX', 'SENT', 'TRASH', 'DRAFT', 'DRAFTS', 'SPAM', 'JUNK', 'ARCHIVE'])

/** One command, and the labels that are other than they were once it is done. */
interface Change {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  run(): Promise<unknown>
}

export const changeLabels: Perform<'change_labels'> = async (action, workshop) => {
  const { message } = action
  const account = workshop.accounts.get(message.account)
  const changes = await changesOf(action, account, workshop)
  const folders = await folderNames(action, account, workshop)
  // Proves that the message is there before anything changes.
  await account.source.flags(message, message.uid, workshop.signal)
  const done = await carriedOut(changes)
  const steps = new Steps()
  const now = await steps.run('read_flags', () => account.source.flags(message, message.uid, workshop.signal))
  const labels = now.ok ? labelsOf(now.value) : undefined
  return { ...done, folders, labels, issues: [...done.issues, ...steps.issues] }
}

async function carriedOut(changes: readonly Change[]): Promise<Omit<LabelsChange, 'labels' | 'folders'>> {
  const added: string[] = []
  const removed: string[] = []
  for (const change of changes) {
    try {
      await change.run()
    } catch (error) {
      if (added.length + removed.length === 0) throw error
      return { added, removed, issues: [issueOf(error, 'change_labels')] }
    }
    added.push(...change.added)
    removed.push(...change.removed)
  }
  return { added, removed, issues: [] }
}

/** Where the change happens. */
interface Target extends Pick<Account, 'source'> {
  readonly message: MessageRef
  readonly signal: AbortSignal
}

async function changesOf(
  { message, add, remove }: ChangeLabelsAction,
  account: Account,
  workshop: Workshop,
): Promise<readonly Change[]> {
  const { source } = account
  const { signal } = workshop
  const target = { message, source, signal }
  if (account.google === undefined) {
    mustBeKeywords([...add, ...remove])
    return flagChanges({ add, remove }, target)
  }
  if (!remove.every(isFlagLabel)) {
    const what = 'of a Google account only STARRED and UNREAD can be removed; take other labels away in a mail program'
    throw new Failure('unsupported', what, { stage: 'label' })
  }
  const places = await labelPlaces(add, account, workshop)
  return [
    ...flagChanges({ add: add.filter(isFlagLabel), remove }, target),
    ...places.map(({ label, mailbox }) => ({
      added: [label],
      removed: [],
      run: () => source.copy(message, message.uid, mailbox, signal),
    })),
  ]
}

/** Remove, then add: two commands at most. */
function flagChanges(labels: FlagChange, { message, source, signal }: Target): readonly Change[] {
  const flags = labelFlags(labels)
  const isUnread = (label: string): boolean => knownLabel(label) === 'UNREAD'
  const others = (list: readonly string[]): string[] => list.filter((label) => !isUnread(label))
  const store = (how: 'add' | 'remove') => (): Promise<void> =>
    source.changeFlags(message, message.uid, how, flags[how], signal)
  const removal = { added: labels.add.filter(isUnread), removed: others(labels.remove), run: store('remove') }
  const addition = { added: others(labels.add), removed: labels.remove.filter(isUnread), run: store('add') }
  return [...(flags.remove.length > 0 ? [removal] : []), ...(flags.add.length > 0 ? [addition] : [])]
}

/** The keywords to add that are called like a folder the caller knows of: it may have meant to move the message there. */
async function folderNames(
  { add }: ChangeLabelsAction,
  { id, google, source }: Account,
  { sight, signal }: Workshop,
): Promise<readonly string[]> {
  const keywords = add.filter((label) => knownLabel(label) === undefined)
  if (google !== undefined || keywords.length === 0) return []
  const paths = (await source.mailboxes(signal)).map(({ name, delimiter }) => pathOf(name, delimiter))
  const known = new Set(paths.filter((path) => sight.named(id, path)).map((path) => path.toLowerCase()))
  return keywords.filter((label) => known.has(label.toLowerCase()))
}

function mustBeKeywords(labels: readonly string[]): void {
  for (const label of labels.filter((each) => knownLabel(each) === undefined)) {
    if (systemFlagNamed(label) !== undefined) throw wrongLabel(IS_SYSTEM_FLAG)
    if (FOLDERS.has(label.trim().toUpperCase())) throw wrongLabel(IS_FOLDER)
    if (!KEYWORD.test(label)) throw wrongLabel(IS_NO_KEYWORD)
  }
}

const IS_FOLDER =
  'INBOX, SENT, DRAFTS, TRASH, SPAM and ARCHIVE are folders of this account, not labels; changing labels cannot move an email, so ask the user to move it in their mail program'
const IS_SYSTEM_FLAG =
  'Seen, Flagged, Answered, Deleted, Draft and Recent are IMAP system flags, not labels; remove UNREAD to mark an email as read, add STARRED to flag it'
const IS_NO_KEYWORD =
  'a label of this account is a keyword: up to 100 ASCII letters, digits and signs without blanks, brackets, quotes, %, * and \\'

function wrongLabel(what: string): Failure {
  return new Failure('invalid_input', what, { stage: 'label' })
}
