/** A question to the server that changes nothing: asked when somebody wants to know. The last one asked is the one answered. */
import { useRef, useState } from 'preact/hooks'
import { ApiFailure, post } from './client.ts'

export interface Question<T> {
  readonly answer: T | undefined
  readonly error: ApiFailure | undefined
  readonly busy: boolean
  ask(body: object): void
}

export function useQuestion<T>(path: string): Question<T> {
  const [shown, show] = useState<Omit<Question<T>, 'ask'>>({ answer: undefined, error: undefined, busy: false })
  const asked = useRef(0)
  const ask = async (body: object): Promise<void> => {
    asked.current += 1
    const mine = asked.current
    show((last) => ({ ...last, busy: true }))
    const next = await post<T>(path, body).then(
      (answer) => ({ answer, error: undefined, busy: false }),
      (error) => ({ answer: undefined, error: failureOf(error), busy: false }),
    )
    if (mine === asked.current) show(next)
  }
  return { ...shown, ask: (body) => void ask(body) }
}

function failureOf(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error
  throw error
}
