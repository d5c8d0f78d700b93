/** How callers name messages: by IDs of ours, which say where a message is, or by their provider's own. */
import { Failure } from '../../core/failure.ts'
import { ANY_UIDVALIDITY, formatMessageId, type MessageRef, parseMessageId } from '../../core/message-id.ts'

const NATIVE_ID = /^[A-Za-z0-9_-]{6,64}$/

/** One of a provider's own is looked for in the account that the call is about. `wanted` says what it should have been. */
export function messageNamed(given: string, wanted: string): MessageRef {
  if (NATIVE_ID.test(given)) return { account: '', mailbox: '', uidvalidity: ANY_UIDVALIDITY, uid: 0, native: given }
  try {
    return parseMessageId(given)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure('invalid_input', wanted)
  }
}

/** As the caller is told of it. */
export function nameOf({ ref, nativeId }: { readonly ref: MessageRef; readonly nativeId?: string }): string {
  return nativeId ?? formatMessageId(ref)
}
