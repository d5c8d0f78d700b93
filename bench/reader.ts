/** The three things an agent does most, as either side does them. Both give back uids or text, so that they can be compared. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { ImapFlow, type SearchObject } from 'imapflow'
import { type Login, postern } from './servers.ts'

export interface Reader {
  listNewest(count: number): Promise<number[]>
  searchSubject(word: string, count: number): Promise<number[]>
  /** The readable text of one HTML mail. */
  read(uid: number): Promise<string>
  /** Of the server process, where there is one. */
  readonly pid: number | undefined
  close(): Promise<void>
}

const MAILBOX = 'INBOX'

interface Listed {
  readonly uid: number
  readonly message_id: string
}

interface Answered {
  readonly data: { readonly messages?: readonly Listed[]; readonly message?: { readonly body_text?: string } }
}

/** Postern as a host runs it: a process of its own, behind a real MCP client. */
export async function posternReader(home: string, login: Login): Promise<Reader> {
  const { args, env } = postern(home, login)
  const transport = new StdioClientTransport({ command: process.execPath, args: [...args], env: { ...env } })
  const client = new Client({ name: 'bench', version: '1.0.0' })
  await client.connect(transport)
  const call = async (name: string, given: Record<string, unknown>): Promise<Answered['data']> => {
    const { structuredContent } = await client.callTool({ name, arguments: given })
    return (structuredContent as Answered | undefined)?.data ?? {}
  }
  const ids = new Map<number, string>()
  const search = async (criteria: object, limit: number): Promise<number[]> => {
    const { messages = [] } = await call('imap_search_messages', {
      account_id: 'bench',
      mailbox: MAILBOX,
      limit,
      ...criteria,
    })
    for (const { uid, message_id } of messages) ids.set(uid, message_id)
    return messages.map(({ uid }) => uid)
  }
  return {
    listNewest: (count) => search({}, count),
    searchSubject: (word, count) => search({ subject: word }, count),
    read: async (uid) => (await call('imap_get_message', { message_id: ids.get(uid) ?? '' })).message?.body_text ?? '',
    pid: transport.pid ?? undefined,
    close: () => client.close(),
  }
}

/** The library by itself, in this process, asked in the shortest way that gives the same messages. */
export async function imapflowReader({ port, user, password }: Login): Promise<Reader> {
  const auth = { user, pass: password }
  const imap = new ImapFlow({ host: '127.0.0.1', port, secure: false, doSTARTTLS: false, auth, logger: false })
  imap.on('error', () => undefined)
  await imap.connect()
  const inMailbox = async <T>(work: () => Promise<T>): Promise<T> => {
    const lock = await imap.getMailboxLock(MAILBOX, { readOnly: true })
    return work().finally(() => lock.release())
  }
  const search = (criteria: SearchObject, count: number): Promise<number[]> =>
    inMailbox(async () => {
      const found = await imap.search(criteria, { uid: true })
      // Uids are in the order of arrival here, so that the last are the newest; imapflow does not sort.
      const newest = (found || []).slice(-count)
      const wanted = { uid: true, flags: true, envelope: true, internalDate: true } as const
      const messages = await imap.fetchAll(newest.join(','), wanted, { uid: true })
      return messages.map(({ uid }) => uid).toReversed()
    })
  return {
    listNewest: (count) => search({ all: true }, count),
    searchSubject: (word, count) => search({ subject: word }, count),
    read: (uid) =>
      inMailbox(async () => {
        const wanted = { envelope: true, bodyStructure: true, flags: true, headers: true } as const
        await imap.fetchOne(String(uid), wanted, { uid: true })
        const parts = await imap.downloadMany(String(uid), ['1'], { uid: true })
        return String(parts['1']?.content ?? '')
      }),
    pid: undefined,
    close: () => imap.logout(),
  }
}
