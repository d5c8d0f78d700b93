/**
 * Reads one message for an agent: header, visible text, attachments.
 *
 * INVARIANT: two round trips at most, and nothing is downloaded that the answer does not need: first the structure,
 * then the beginnings of the text parts together with the attachments whose text was asked for.
 */
import type { ActionOf, ResultOf } from '../../core/action.ts'
import { mergeWarnings, type Warning } from '../../core/content.ts'
import type { Opened, Part, PartBytes } from '../../core/message.ts'
import type { MessageRef } from '../../core/message-id.ts'
import { type Body, chooseBodies } from '../../core/mime/bodies.ts'
import { threadIdOf } from '../../core/mirror/thread.ts'
import { atLeast, type Level, lower } from '../../core/policy/level.ts'
import type { MessageView } from '../../core/results.ts'
import { senderWarnings } from '../../core/text/sender.ts'
import type { PartWanted } from '../../ports/mail-source.ts'
import { textsWanted } from '../sync/wanted-parts.ts'
import { attachmentsIn, documentsToRead, sizesToTell } from './attachments.ts'
import { readBody } from './message-body.ts'
import { dateOf, messageIdOf, peopleIn, shownHeader, subjectOf } from './message-header.ts'
import { unseenWanted, unseenWarnings } from './unseen-text.ts'
import type { Perform, Workshop } from './workshop.ts'

/** Encoded bytes fetched of a text part: room for any charset and encoding of the characters asked for. */
const BYTES_PER_CHAR = 12
const LEAST_TEXT_BYTES = 65_536
/** A part with nothing but a line break or two. */
const BLANK_BYTES = 4
/** HTML is mostly markup: so much even where a server reports less. */
const HTML_BYTES = 524_288

export const readMessage: Perform<'read_message'> = async (action, workshop, level) => {
  const view = await readView(action, workshop, level)
  const thread = await nativeThread(action.message, workshop)
  return thread === undefined ? view : { ...view, threadId: thread }
}

/** Where its provider has a name of its own for the conversation. */
async function nativeThread(message: MessageRef, { accounts, signal }: Workshop): Promise<string | undefined> {
  const [id] = (await accounts.get(message.account).native?.idsOf(message, [message.uid], signal)) ?? []
  return id?.thread
}

const readView: Perform<'read_message'> = async (action, workshop, level) => {
  const opened = await workshop.opened(action.message)
  const depth = lower(action.depth, level)
  if (atLeast(depth, 'ENVELOPE')) {
    workshop.reading.message(workshop.accounts.get(action.message.account), opened.header)
  }
  if (!atLeast(depth, 'BODY')) return headerOnly(opened, depth)
  const bodies = chooseBodies(opened.structure)
  const documents = documentsToRead(opened.structure, atLeast(depth, 'FULL') ? action.attachmentChars : undefined)
  const wanted = [...bodiesWanted(bodies, action.bodyChars), ...documents.wanted, ...unseenWanted(opened)]
  const sizes = atLeast(depth, 'FULL') ? sizesToTell(opened.structure, wanted) : []
  const downloaded = await download(action, [...wanted, ...sizes], workshop)
  const body = await readBody({ bodies, subject: subjectOf(opened.header) }, downloaded, action, workshop)
  const attachments = await attachmentsIn(opened.structure, downloaded, documents, action.uncertainFrom, workshop)
  const header = shownHeader(opened.header)
  return {
    ...envelope(opened),
    header: header.fields,
    ...body.shown,
    attachments: attachments.list,
    warnings: mergeWarnings(
      body.warnings,
      unseenWarnings(opened, downloaded),
      senderWarnings(opened.header),
      header.warnings,
      attachments.warnings,
      unreadable(opened.structure, body.shown, attachments.list.length),
    ),
    issues: [...body.issues, ...attachments.issues],
  }
}

/** Something was sent, and nothing of it can be shown: neither text nor a file. */
function unreadable(
  structure: Part,
  { text, uncertain }: Pick<MessageView, 'text' | 'uncertain'>,
  attachments: number,
): Warning[] {
  const isEmpty = (part: Part): boolean => part.size <= BLANK_BYTES && part.children.every(isEmpty)
  const isShown = (text ?? '').trim() !== '' || uncertain !== undefined || attachments > 0
  return [{ kind: 'no_readable_text', count: isShown || isEmpty(structure) ? 0 : 1 }]
}

/** Of a message whose body is not to be shown, nothing of the body is fetched, and nothing of it told. */
function headerOnly(opened: Opened, depth: Level): ResultOf<'read_message'> {
  const header = shownHeader(atLeast(depth, 'HEADERS') ? opened.header : [])
  return {
    ...envelope(opened),
    header: header.fields,
    text: undefined,
    textTruncated: false,
    html: undefined,
    htmlTruncated: false,
    attachments: [],
    warnings: mergeWarnings(senderWarnings(opened.header), header.warnings),
    issues: [],
  }
}

function envelope({ header, received, size, flags }: Opened) {
  return {
    threadId: threadIdOf(header),
    date: dateOf(header, received),
    size,
    flags,
    from: peopleIn(header, 'from'),
    to: peopleIn(header, 'to'),
    cc: peopleIn(header, 'cc'),
    subject: subjectOf(header),
    messageId: messageIdOf(header),
  }
}

/**
 * The beginning of a plain text holds all that is shown of it, unless it is compared with a page. What a page shows may come after
 * pictures inside of it.
 */
function bodiesWanted(bodies: readonly Body[], chars: number): readonly PartWanted[] {
  const plainBytes = Math.max(LEAST_TEXT_BYTES, chars * BYTES_PER_CHAR)
  const parts = bodies.flatMap(({ plain, html }) => [...plain, ...html])
  const whole = new Set(
    bodies.flatMap(({ plain, html }) => (html.length > 0 ? [...plain, ...html] : [])).map(({ id }) => id),
  )
  return textsWanted(parts, HTML_BYTES).map(({ id, maxBytes }) => ({
    id,
    maxBytes: whole.has(id) ? maxBytes : Math.min(maxBytes, plainBytes),
  }))
}

async function download(
  { message }: ActionOf<'read_message'>,
  wanted: readonly PartWanted[],
  { accounts, signal }: Workshop,
): Promise<ReadonlyMap<string, PartBytes>> {
  if (wanted.length === 0) return new Map()
  const parts = await accounts.get(message.account).source.parts(message, message.uid, wanted, signal)
  return new Map(parts.map((part) => [part.id, part]))
}
