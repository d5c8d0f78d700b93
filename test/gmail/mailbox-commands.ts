/** Commands on mailboxes, which are labels. */
import { list, statusLine } from './listing.ts'
import type { Mailbox } from './mailbox.ts'
import { DRAFT } from './names.ts'
import { type Asked, type Perform, Refused, type Session } from './session.ts'
import { atomOf, BadCommand, itemsOf, type Node, textOf } from './syntax.ts'
import { parseDate } from './text.ts'
import { fromUtf7 } from './utf7.ts'
import { View } from './view.ts'

const FLAGS = '\\Answered \\Flagged \\Draft \\Deleted \\Seen $NotPhishing $Phishing'
const MAX_NAME = 225

export function nameOf(node: Node | undefined): string {
  const name = fromUtf7(textOf(node))
  if (name === undefined) throw new Refused('NO [CANNOT] Invalid mailbox name (Failure)')
  return name
}

/** Where a message is to go. */
export function targetOf({ store }: Session, node: Node | undefined): Mailbox {
  const name = nameOf(node)
  const mailbox = store.mailbox(name)
  if (mailbox === undefined) throw new Refused("NO [TRYCREATE] Folder doesn't exist. (Failure)")
  return mailbox
}

function open({ session, args }: Asked, writable: boolean): string {
  session.view = undefined
  const name = nameOf(args[0])
  const mailbox = session.store.mailbox(name)
  if (mailbox === undefined) {
    throw new Refused(`NO [NONEXISTENT] Unknown Mailbox: ${textOf(args[0])} (now in authenticated state) (Failure)`)
  }
  const view = new View(session.store, mailbox, writable)
  session.view = view
  session.say(
    [
      `* FLAGS (${FLAGS})`,
      `* OK [PERMANENTFLAGS (${writable ? `${FLAGS} \\*` : ''})] Flags permitted.`,
      `* OK [UIDVALIDITY ${mailbox.uidvalidity}] UIDs valid.`,
      `* ${view.size} EXISTS`,
      '* 0 RECENT',
      `* OK [UIDNEXT ${mailbox.uidNext}] Predicted next UID.`,
      `* OK [HIGHESTMODSEQ ${session.store.modseq}]`,
      '',
    ].join('\r\n'),
  )
  const how = writable ? 'OK [READ-WRITE]' : 'OK [READ-ONLY]'
  return `${how} ${textOf(args[0])} selected. (Success)`
}

function close({ session }: Asked, expunging: boolean): string {
  const { view, store } = session
  session.view = undefined
  if (view === undefined) throw new BadCommand('CLOSE not allowed now.')
  if (!expunging || !view.writable) return 'OK Returned to authenticated state. (Success)'
  for (const { message } of view.messages()) {
    if (view.mailbox.deleted.has(message.msgid)) store.expunge(message, view.mailbox)
  }
  return 'OK Returned to authenticated state. (Success)'
}

function create({ session: { store }, args }: Asked): string {
  const name = nameOf(args[0]).replace(/\/$/, '')
  if (name === '' || name.length > MAX_NAME || /^\/|\/\//.test(name)) {
    throw new Refused('NO [CANNOT] Invalid folder name (Failure)')
  }
  if (store.createLabel(name) === undefined) {
    throw new Refused(`NO [ALREADYEXISTS] Duplicate folder name ${textOf(args[0])} (Failure)`)
  }
  return 'OK Success'
}

function owned({ store }: Session, node: Node | undefined): Mailbox {
  const mailbox = store.mailbox(nameOf(node))
  if (mailbox === undefined) throw new Refused(`NO [NONEXISTENT] Unknown Mailbox: ${textOf(node)} (Failure)`)
  if (mailbox.place !== undefined || mailbox.name === 'INBOX') {
    throw new Refused(`NO [CANNOT] Cannot change folder ${textOf(node)} (Failure)`)
  }
  return mailbox
}

function rename({ session, args }: Asked): string {
  const mailbox = owned(session, args[0])
  const name = nameOf(args[1])
  if (session.store.mailbox(name) !== undefined) throw new Refused('NO [ALREADYEXISTS] Duplicate folder name (Failure)')
  session.store.renameLabel(mailbox, name)
  return 'OK Success'
}

function status({ session, args }: Asked): string {
  const mailbox = session.store.mailbox(nameOf(args[0]))
  if (mailbox === undefined) throw new Refused(`NO [NONEXISTENT] Invalid folder: ${textOf(args[0])} (Failure)`)
  session.say(statusLine(session.store, mailbox, itemsOf(args[1]).map(textOf)))
  return 'OK Success'
}

function append({ session, args }: Asked): string {
  const { store } = session
  const mailbox = targetOf(session, args[0])
  const flags = args[1]?.kind === 'list' ? itemsOf(args[1]).map(atomOf) : []
  const date = args.length > (args[1]?.kind === 'list' ? 3 : 2) ? parseDate(textOf(args.at(-2))) : undefined
  const message = {
    raw: Buffer.from(textOf(args.at(-1)), 'latin1'),
    flags,
    ...(date === undefined ? {} : { received: date }),
  }
  const label = mailbox.place === 'drafts' ? DRAFT : mailbox.label
  const stored = store.append(message, label)
  return `OK [APPENDUID ${mailbox.uidvalidity} ${mailbox.uidOf(stored.msgid)}] (Success)`
}

export const MAILBOX_COMMANDS: Readonly<Record<string, Perform>> = {
  SELECT: (asked) => open(asked, true),
  EXAMINE: (asked) => open(asked, false),
  CLOSE: (asked) => close(asked, true),
  UNSELECT: (asked) => close(asked, false),
  LIST: ({ session, args }) => listed(session, 'LIST', args),
  XLIST: ({ session, args }) => listed(session, 'XLIST', args),
  LSUB: ({ session, args }) => listed(session, 'LSUB', args),
  CREATE: create,
  DELETE: ({ session, args }) => {
    session.store.deleteLabel(owned(session, args[0]))
    return 'OK Success'
  },
  RENAME: rename,
  SUBSCRIBE: () => 'OK Success',
  UNSUBSCRIBE: () => 'OK Success',
  STATUS: status,
  APPEND: append,
  NAMESPACE: ({ session }) => {
    session.say('* NAMESPACE (("" "/")) NIL NIL\r\n')
    return 'OK Success'
  },
}

function listed(session: Session, name: string, args: readonly Node[]): string {
  session.say(list(session.store, name, args))
  return 'OK Success'
}
