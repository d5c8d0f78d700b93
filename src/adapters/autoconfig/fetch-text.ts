/**
 * A small text from the web.
 *
 * INVARIANT: https with a verified certificate, redirections included; at most so many bytes; nothing is sent but the
 * request for that address.
 */
import { request } from 'node:https'

export interface WebOptions {
  /** Where a host really is, in place of asking DNS. */
  readonly placeOf?: (host: string) => { readonly address: string; readonly port: number }
  /** A certificate authority to trust, PEM. */
  readonly ca?: string
}

const MOST_BYTES = 65_536
const MOST_TURNS = 3

/** Rejects where there is none. */
export async function fetchText(url: string, options: WebOptions, signal: AbortSignal, turns = 0): Promise<string> {
  const { protocol, hostname, port, pathname, search } = new URL(url)
  if (protocol !== 'https:') throw new Error('only https is asked')
  const place = options.placeOf?.(hostname) ?? { address: hostname, port: port === '' ? 443 : Number(port) }
  const answer = await ask({ ...place, hostname, path: pathname + search }, options, signal)
  if (answer.kind === 'text') return answer.text
  if (turns >= MOST_TURNS) throw new Error('there is no end to the redirections')
  return fetchText(new URL(answer.location, url).href, options, signal, turns + 1)
}

interface Target {
  readonly address: string
  readonly port: number
  readonly hostname: string
  readonly path: string
}

type Answer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'elsewhere'; readonly location: string }

function ask(target: Target, { ca }: WebOptions, signal: AbortSignal): Promise<Answer> {
  const { address, port, hostname, path } = target
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: address,
        port,
        path,
        servername: hostname,
        headers: { host: hostname, accept: 'text/xml, application/xml' },
        signal,
        ...(ca === undefined ? {} : { ca }),
      },
      (answer) => {
        const { statusCode = 0, headers } = answer
        if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
          answer.destroy()
          resolve({ kind: 'elsewhere', location: headers.location })
          return
        }
        if (statusCode !== 200) {
          answer.destroy()
          reject(new Error(`the answer was ${statusCode}`))
          return
        }
        const chunks: Buffer[] = []
        let size = 0
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length
          chunks.push(chunk)
          if (size > MOST_BYTES) answer.destroy(new Error('the answer is too long'))
        })
        answer.on('error', reject)
        answer.on('end', () => resolve({ kind: 'text', text: Buffer.concat(chunks).toString('utf8') }))
      },
    )
    asked.on('error', reject)
    asked.end()
  })
}
