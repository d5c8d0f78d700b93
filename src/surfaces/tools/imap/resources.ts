/** Messages, their sources and their attachments as MCP resources. Reading one passes the gate like a tool. */
import type { ActionOf, ResultOf } from '../../../core/action.ts'
import type { Outcome } from '../../../core/call/outcome.ts'
import { Failure } from '../../../core/failure.ts'
import { formatMessageId, type MessageRef, parseMessageId } from '../../../core/message-id.ts'
import type { PreparedResource, Refusal, ResourceContents, ResourceSet } from '../tool.ts'
import { refuse, refuseDenied } from './envelope.ts'
import { messageFrom } from './fields.ts'
import { messageData } from './message-data.ts'

const BASE = 'imap://{account_id}/mailbox/{mailbox}/message/{uidvalidity}/{uid}'
const ADDRESS =
  /^imap:\/\/([^/:]+)\/mailbox\/([^/]+)\/message\/([^/]+)\/([^/]+)(?:\/(raw)|\/attachment\/(\d{1,9}(?:\.\d{1,9}){0,49}))?$/
const BODY_CHARS = 20_000
const RAW_BYTES = 1_000_000

type Read = 'read_message' | 'read_raw' | 'read_attachment'

export const imapResources: ResourceSet = {
  templates: [
    {
      uriTemplate: BASE,
      name: 'imap_message',
      title: 'Message',
      description: 'One message as imap_get_message shows it',
      mimeType: 'application/json',
    },
    {
      uriTemplate: `${BASE}/raw`,
      name: 'imap_message_raw',
      title: 'Message source',
      description: `RFC 822 source, the first ${RAW_BYTES} bytes`,
      mimeType: 'message/rfc822',
    },
    {
      uriTemplate: `${BASE}/attachment/{part_id}`,
      name: 'imap_message_attachment',
      title: 'Attachment',
      description: 'One attachment, decoded, up to 10 MB',
    },
  ],
  prepare(uri: string): PreparedResource {
    const { message, raw, part } = parse(uri)
    if (part !== undefined) {
      return prepared({ kind: 'read_attachment', message, part, inlineBytes: undefined }, ({ type, bytes }) =>
        contents(type, { blob: bytes }),
      )
    }
    if (raw) {
      return prepared({ kind: 'read_raw', message, maxBytes: RAW_BYTES }, ({ bytes }) =>
        contents('message/rfc822', { blob: bytes }),
      )
    }
    const action = {
      kind: 'read_message',
      message,
      needs: 'ENVELOPE',
      depth: 'FULL',
      bodyChars: BODY_CHARS,
      html: false,
      attachmentChars: undefined,
    } as const
    return prepared(action, (view, redacted) =>
      contents('application/json', { text: JSON.stringify(messageData(view, message, 'curated', redacted)) }),
    )
  },
}

function prepared<K extends Read>(
  action: ActionOf<K>,
  show: (result: ResultOf<K>, redacted: readonly string[]) => ResourceContents,
): PreparedResource {
  const render = (outcome: Outcome<K>): ResourceContents | Refusal => {
    if (outcome.kind === 'denied') return refuseDenied(outcome.denial, outcome.timing)
    return outcome.kind === 'failed' ? refuse(outcome.failure, outcome.timing) : show(outcome.result, outcome.redacted)
  }
  return { action, render: (outcome) => render(outcome as Outcome<K>) }
}

function contents(mimeType: string, body: ResourceContents['body']): ResourceContents {
  return { kind: 'contents', mimeType, body }
}

function parse(uri: string): { message: MessageRef; raw: boolean; part: string | undefined } {
  const [, account = '', encoded = '', uidvalidity, uid, raw, part] = ADDRESS.exec(uri) ?? []
  const parsed = parseMessageId(`imap:${account}:${decode(encoded)}:${uidvalidity}:${uid}`)
  return { message: messageFrom({ message_id: formatMessageId(parsed) }), raw: raw !== undefined, part }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Failure('invalid_input', 'the mailbox in the resource address is not percent-encoded UTF-8')
  }
}
