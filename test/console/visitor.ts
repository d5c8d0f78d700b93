/** Whoever comes to the console with a browser: a cookie, a page's Origin and its token; or without them. */
import { connect } from 'node:net'
import { expect } from 'vitest'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: what a test looks at is what it knows to be there.
  readonly body: any
}

export class Visitor {
  readonly origin: string
  cookie: string | undefined
  csrf = ''

  constructor(origin: string) {
    this.origin = origin
  }

  async signIn(link: string): Promise<Answer> {
    const token = new URL(link).searchParams.get('token')
    const answer = await this.post('/console/api/sign-in', { token })
    const [set] = answer.headers.getSetCookie()
    if (answer.status === 200) {
      this.cookie = set?.split(';')[0]
      this.csrf = answer.body.csrf
    }
    return answer
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#ask(path, { headers: { ...this.#cookie(), ...headers } })
  }

  /** Headers that are given as '' are left out. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const usual = {
      ...this.#cookie(),
      Origin: this.origin,
      'Content-Type': 'application/json',
      'X-Postern-CSRF': this.csrf,
    }
    const sent = Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== '')
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return this.#ask(path, { method: 'POST', headers: Object.fromEntries(sent), body: text })
  }

  /** Reads the events of the stream, one after the other; `close` ends it. */
  async events(): Promise<EventReader> {
    const abort = new AbortController()
    const response = await fetch(`${this.origin}/console/api/events`, { headers: this.#cookie(), signal: abort.signal })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    return new EventReader(response, abort)
  }

  #cookie(): Record<string, string> {
    return this.cookie === undefined ? {} : { Cookie: this.cookie }
  }

  async #ask(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(this.origin + path, { redirect: 'manual', ...init })
    const text = await response.text()
    expectGuarded(response.headers)
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }
}

export class EventReader {
  readonly #abort: AbortController
  readonly #chunks: AsyncIterator<Uint8Array>
  #text = ''

  constructor(response: Response, abort: AbortController) {
    this.#abort = abort
    const { body } = response
    if (body === null) throw new Error('a stream without a body')
    this.#chunks = body[Symbol.asyncIterator]()
  }

  /** The name of the next event; undefined at the end of the stream. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const [block, ...rest] = this.#text.split('\n\n')
      if (rest.length > 0) {
        this.#text = rest.join('\n\n')
        const name = /^event: (.+)$/m.exec(block ?? '')?.[1]
        if (name !== undefined) return name
        continue
      }
      const { value, done } = await this.#chunks.next()
      if (done === true) return undefined
      this.#text += new TextDecoder().decode(value)
    }
  }

  async until(name: string): Promise<void> {
    for (let event = await this.next(); event !== name; event = await this.next()) {
      if (event === undefined) throw new Error(`the stream ended before ${name} came`)
    }
  }

  close(): void {
    this.#abort.abort()
  }
}

/** Holds of every answer, whatever was asked. */
export function expectGuarded(headers: Headers): void {
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  )
  expect(headers.get('x-frame-options')).toBe('DENY')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  expect(headers.get('permissions-policy')).toContain('camera=()')
  expect(headers.get('cache-control')).toMatch(/^no-(store|cache)$/)
  expect(headers.get('access-control-allow-origin')).toBeNull()
}

/** Exactly these lines; `fetch` would put a path in order. Returns the whole answer. */
export function raw(origin: string, lines: readonly string[], body = ''): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
    socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`)
  })
}
