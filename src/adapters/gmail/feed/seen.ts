/** Some messages as they are now, wherever they stand. Those that are gone altogether are not there. */
import { type GmailMessage, messageIn } from '../answers.ts'
import { type GmailClient, type GmailRead, segment } from '../client/client.ts'

export type Seen = ReadonlyMap<string, GmailMessage>

const AT_ONCE = 100
const FIELDS = 'id,threadId,labelIds,internalDate,sizeEstimate'

export async function seenNow(client: GmailClient, ids: readonly string[], signal: AbortSignal): Promise<Seen> {
  const seen = new Map<string, GmailMessage>()
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const calls = ids.slice(start, start + AT_ONCE).map(callFor)
    for (const answer of await client.batch(calls, signal, messageIn)) {
      if (answer.kind === 'found') seen.set(answer.value.id, answer.value)
    }
  }
  return seen
}

function callFor(id: string): GmailRead {
  return { path: `messages/${segment(id)}`, query: { format: 'minimal', fields: FIELDS }, stage: 'fetch' }
}
