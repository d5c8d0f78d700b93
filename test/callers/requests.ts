/** Calls of tools, as a client sends them byte for byte: over HTTP with a token, or into a process. */
import { expect } from 'vitest'
import type { RawProcess } from '../mcp/raw-process.ts'
import { toolCall } from './tool-calls.ts'

export type Payload = Readonly<Record<string, unknown>> & { readonly decision?: string; readonly reason?: string }

export interface Reply {
  readonly status: number
  /** The structured answer of the tool, where there is one. */
  readonly payload: Payload | undefined
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined
}

interface Message {
  readonly result?: { readonly structuredContent?: Payload }
  readonly error?: Reply['error']
}

export function headersFor(token: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    Authorization: `Bearer ${token}`,
    ...more,
  }
}

/** Not those of greetings. */
let ids = 1000

/** One call on its own: nothing depends on a session. */
export async function callOverHttp(url: string, token: string, name: string, args: object = {}): Promise<Reply> {
  ids += 1
  const id = ids
  const response = await fetch(url, {
    method: 'POST',
    headers: headersFor(token),
    body: JSON.stringify(toolCall(id, name, args)),
  })
  return read(response, id)
}

async function read(response: Response, id: number): Promise<Reply> {
  const { status } = response
  const text = await response.text()
  const json = text.startsWith('{') ? text : (/^data: (\{.*\})$/m.exec(text)?.[1] ?? '{}')
  const message: Message & { readonly id?: number } = JSON.parse(json)
  if (status === 200) expect(message.id).toBe(id)
  return { status, payload: message.result?.structuredContent, error: status === 200 ? message.error : undefined }
}

/** One call on the connection that is there; the process must have been greeted. */
export async function callOverStdio(process: RawProcess, name: string, args: object = {}): Promise<Reply> {
  ids += 1
  const id = ids
  process.write(toolCall(id, name, args))
  const message: Message = await process.answer(id)
  return { status: 200, payload: message.result?.structuredContent, error: message.error }
}

/** The subjects of what a caller sees in its INBOX. */
export function subjectsOf({ status, payload, error }: Reply): readonly unknown[] {
  const messages = payload?.['messages']
  // What is no listing is shown as it is, so that a failed test says what came instead.
  if (!Array.isArray(messages)) return [{ status, payload, error }]
  return messages.map((message: { readonly subject: unknown }) => message.subject)
}
