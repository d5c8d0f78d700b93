/** Commands on the messages of the selected mailbox. */
import { fetchAnswer, fetchItems } from './fetch.ts'
import { targetOf } from './mailbox-commands.ts'
import { search } from './search.ts'
import { type Asked, type Perform, Refused } from './session.ts'
import { applyChange, changeAnswer, storeChange } from './store-command.ts'
import { BadCommand, type Node, textOf } from './syntax.ts'
import type { Seen, View } from './view.ts'

function viewOf({ session }: Asked, command: string): View {
  if (session.view === undefined) throw new BadCommand(`${command} not allowed now.`)
  return session.view
}

function writableOf(asked: Asked, command: string): View {
  const view = viewOf(asked, command)
  if (!view.writable) throw new Refused(`NO [READ-ONLY] ${command} attempt on READ-ONLY folder (Failure)`)
  return view
}

/** Message numbers must be there; uids need not be. */
function chosen(view: View, set: Node | undefined, byUid: boolean, command: string): readonly Seen[] {
  const text = textOf(set)
  const named = text.match(/[0-9]+/g)?.map(Number) ?? []
  if (!byUid && named.some((number) => number > view.size)) {
    throw new BadCommand(`[CLIENTBUG] ${command} Bad sequence in the command`)
  }
  return view.inSet(text, byUid)
}

/** `(CHANGEDSINCE 12)` and `(UNCHANGEDSINCE 12)`. */
function modifier(node: Node | undefined, name: string): number | undefined {
  if (node?.kind !== 'list') return undefined
  const [word, value] = node.items
  return word?.kind === 'atom' && word.text.toUpperCase() === name ? Number(textOf(value)) : undefined
}

const fetch: Perform = (asked) => {
  const { session, args, byUid } = asked
  const view = viewOf(asked, 'FETCH')
  const since = modifier(args[2], 'CHANGEDSINCE')
  const items = fetchItems(args[1], byUid)
  const asksModseq = items.some((item) => item.toUpperCase() === 'MODSEQ')
  const fetching = {
    store: session.store,
    view,
    items: since !== undefined && !asksModseq ? [...items, 'MODSEQ'] : items,
  }
  for (const seen of chosen(view, args[0], byUid, 'FETCH')) {
    if (since === undefined || seen.message.modseq > since) session.say(fetchAnswer(fetching, seen))
  }
  return 'OK Success'
}

const store: Perform = (asked) => {
  const { session, args, byUid } = asked
  const view = writableOf(asked, 'STORE')
  const [set, second, ...rest] = args
  const unchanged = modifier(second, 'UNCHANGEDSINCE')
  const change = storeChange(unchanged === undefined && second !== undefined ? [second, ...rest] : rest)
  const messages = chosen(view, set, byUid, 'STORE')
  const fit = messages.filter(({ message }) => unchanged === undefined || message.modseq <= unchanged)
  for (const seen of fit) {
    applyChange(session.store, view, seen, change)
    if (!change.silent) session.say(changeAnswer(session.store, view, seen, change))
    if (session.store.autoExpunge && view.mailbox.deleted.has(seen.message.msgid)) {
      session.store.expunge(seen.message, view.mailbox)
    }
  }
  view.told()
  const left = messages.filter((seen) => !fit.includes(seen)).map(({ uid, number }) => (byUid ? uid : number))
  return left.length === 0 ? 'OK Success' : `OK [MODIFIED ${left.join(',')}] Success`
}

const relocate = (asked: Asked, how: 'COPY' | 'MOVE'): string => {
  const { session, args, byUid } = asked
  const view = how === 'MOVE' ? writableOf(asked, how) : viewOf(asked, how)
  const target = targetOf(session, args[1])
  const messages = chosen(view, args[0], byUid, how)
  if (messages.length === 0) return 'OK No matching messages, so nothing copied (Success)'
  if (how === 'MOVE' && view.mailbox.place === 'drafts' && target.place !== 'trash') {
    throw new Refused('NO [CANNOT] Drafts cannot be moved (Failure)')
  }
  for (const { message } of messages) {
    if (!session.store.copyTo(message, target)) throw new Refused('NO [CANNOT] Not a draft (Failure)')
    if (how === 'MOVE' && target !== view.mailbox) session.store.moveOut(message, view.mailbox)
  }
  const there = messages.map(({ message }) => target.uidOf(message.msgid) ?? 0)
  const code = `[COPYUID ${target.uidvalidity} ${messages.map(({ uid }) => uid).join(',')} ${there.join(',')}]`
  if (how === 'COPY') return `OK ${code} (Success)`
  session.say(`* OK ${code} (Success)\r\n`)
  return 'OK (Success)'
}

/** Without a set, whatever is flagged `\Deleted`. */
const expunge: Perform = (asked) => {
  const { session, args, byUid } = asked
  const view = writableOf(asked, 'EXPUNGE')
  const messages = byUid ? chosen(view, args[0], true, 'EXPUNGE') : view.messages()
  for (const { message } of messages) {
    if (view.mailbox.deleted.has(message.msgid)) session.store.expunge(message, view.mailbox)
  }
  return 'OK Success'
}

const find: Perform = (asked) => {
  const found = search(viewOf(asked, 'SEARCH'), asked.tag, asked.args, asked.byUid)
  if ('refusal' in found) throw new Refused(found.refusal)
  asked.session.say(found.untagged)
  return 'OK SEARCH completed (Success)'
}

export const MESSAGE_COMMANDS: Readonly<Record<string, Perform>> = {
  FETCH: fetch,
  STORE: store,
  COPY: (asked) => relocate(asked, 'COPY'),
  MOVE: (asked) => relocate(asked, 'MOVE'),
  EXPUNGE: expunge,
  SEARCH: find,
  CHECK: (asked) => {
    viewOf(asked, 'CHECK')
    return 'OK Success'
  },
}
