/**
 * How the person behind a client is asked in the middle of a call: by a request of ours where the connection lives on; in the
 * stateless revision by an answer that asks the client to call again.
 *
 * INVARIANT: only a client that said it can do that is asked, once in a call and not for long. What goes wrong in asking is
 * no answer.
 */
import type { Result, ServerContext, StandardSchemaV1 } from '@modelcontextprotocol/server'
import type { Ask } from '../../core/call/question.ts'
import { canBeAsked, elicitationOf, replyIn } from './elicitation.ts'
import type { OpenQuestions } from './open-questions.ts'

export interface Inquiry {
  readonly ask: Ask
  /** What the client gets in place of the result, where it has to ask first. */
  instead(): Result | undefined
}

/** What is known of the client of one request. */
export interface ClientSide {
  /** As it declared them, unchecked. */
  readonly capabilities: unknown
  readonly request: Pick<ServerContext['mcpReq'], 'send' | 'inputResponses' | 'requestState'>
}

export interface Asker {
  /** Read when it is needed, not before. */
  caller(): string
  readonly questions: OpenQuestions
  /** Ends with the call. */
  readonly signal: AbortSignal
  readonly patienceMs: number
}

/** Less than a call may take: what comes after a yes needs time too. */
export const PATIENCE_MS = 90_000

const KEY = 'approval'

/** We look at answers ourselves. */
const anyResult: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'postern', validate: (value: unknown) => ({ value }) },
}

/** Undefined where the client cannot be asked. */
export function inquiryOf(era: 'legacy' | 'modern', client: ClientSide, asker: Asker): Inquiry | undefined {
  if (!canBeAsked(client.capabilities)) return undefined
  return era === 'legacy' ? byRequest(client, asker) : byReturn(client, asker)
}

function byRequest({ request }: ClientSide, { signal, patienceMs }: Asker): Inquiry {
  let isAsked = false
  return {
    async ask(question, until) {
      if (isAsked) return 'no_answer'
      isAsked = true
      const { method, params } = elicitationOf(question)
      if (question.isNotice === true) {
        // Nobody waits for whoever reads it, and the call is over before it is read.
        request.send({ method, params: { ...params } }, anyResult, { timeout: patienceMs }).catch(() => undefined)
        return 'no_answer'
      }
      const ends = until === undefined ? signal : AbortSignal.any([signal, until])
      const bounds = { signal: ends, timeout: patienceMs, maxTotalTimeout: patienceMs }
      try {
        const reply = replyIn(await request.send({ method, params: { ...params } }, anyResult, bounds), question)
        return ends.aborted ? 'no_answer' : reply
      } catch {
        return 'no_answer'
      }
    },
    instead: () => undefined,
  }
}

/** The call is over once it has asked. Made again, it finds what was said in the request itself. */
function byReturn({ request }: ClientSide, { caller, questions, signal, patienceMs }: Asker): Inquiry {
  const state: unknown = request.requestState()
  const isAgain = state !== undefined || request.inputResponses !== undefined
  let required: Result | undefined
  return {
    async ask(question) {
      // A call would have to be made twice for something that needs no answer.
      if (question.isNotice === true) return 'no_answer'
      if (isAgain) {
        const counts = typeof state === 'string' && questions.close(state, caller(), question) && !signal.aborted
        return counts ? replyIn(request.inputResponses?.[KEY], question) : 'no_answer'
      }
      required ??= {
        resultType: 'input_required',
        inputRequests: { [KEY]: elicitationOf(question) },
        requestState: questions.open(caller(), question, patienceMs),
      }
      return 'no_answer'
    },
    instead: () => required,
  }
}
