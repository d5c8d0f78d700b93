/** The line on which the server tells that something has changed: held by one tab, heard by all. */
import { TOPICS, type Topic } from './api-types.ts'
import { eventsAddress } from './client.ts'

export type LineState = 'opening' | 'live' | 'broken'

export interface LineNews {
  onState(state: LineState): void
  onTopics(topics: readonly Topic[]): void
}

/** Between tabs. */
type Word =
  | { readonly kind: 'state'; readonly state: LineState }
  | { readonly kind: 'topics'; readonly topics: readonly Topic[] }
  | { readonly kind: 'who' }

const NAME = 'postern.line'
const RETRY_MS = 2000

/** Returns how to leave it. */
export function followLine(news: LineNews): () => void {
  const end = new AbortController()
  const tabs = new BroadcastChannel(NAME)
  let state: LineState = 'opening'
  let isHolder = false
  const tell = (word: Word): void => {
    if (word.kind === 'state') state = word.state
    hear(word, news)
    tabs.postMessage(word)
  }
  tabs.onmessage = ({ data }: MessageEvent<Word>) => {
    if (data.kind !== 'who') hear(data, news)
    else if (isHolder) tabs.postMessage({ kind: 'state', state } satisfies Word)
  }
  const hold = (): Promise<void> => {
    isHolder = true
    return holdLine(tell, end.signal)
  }
  tabs.postMessage({ kind: 'who' } satisfies Word)
  // Browsers know locks only where the connection is safe; elsewhere each tab holds its own.
  if (navigator.locks === undefined) void hold()
  else navigator.locks.request(NAME, { signal: end.signal }, hold).catch(() => {})
  return () => {
    end.abort()
    tabs.close()
  }
}

function hear(word: Word, news: LineNews): void {
  if (word.kind === 'state') news.onState(word.state)
  if (word.kind === 'topics') news.onTopics(word.topics)
}

/** Until the signal says otherwise. */
function holdLine(tell: (word: Word) => void, signal: AbortSignal): Promise<void> {
  let line: EventSource | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  const connect = (): void => {
    const opened = new EventSource(eventsAddress())
    line = opened
    opened.onopen = () => {
      tell({ kind: 'state', state: 'live' })
      tell({ kind: 'topics', topics: TOPICS })
    }
    for (const topic of TOPICS) opened.addEventListener(topic, () => tell({ kind: 'topics', topics: [topic] }))
    opened.onerror = () => {
      // A browser gives up after a refusal: so that it never does, each try is a line of its own.
      opened.close()
      tell({ kind: 'state', state: 'broken' })
      // Where the session is over, one question says so and shows the way in.
      tell({ kind: 'topics', topics: ['outbox'] })
      retry = setTimeout(connect, RETRY_MS)
    }
  }
  connect()
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      clearTimeout(retry)
      line?.close()
      resolve()
    })
  })
}
