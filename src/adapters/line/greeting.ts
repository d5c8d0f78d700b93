/** The first words with a mail server, and the asking for TLS. */
import type { Socket } from 'node:net'

/** `ready` where TLS may begin; `greeted` where none was asked for. */
export type Greeting = 'ready' | 'greeted' | 'silent' | 'not_tls' | 'no_starttls'

/** No greeting is longer. */
const MOST_BYTES = 16_384

interface Manner {
  readonly greeting: RegExp
  readonly ask: string
  readonly offered: RegExp
  readonly start: string
  readonly agreed: RegExp
}

const MANNERS: Readonly<Record<'imap' | 'smtp', Manner>> = {
  imap: {
    greeting: /^\* (OK|PREAUTH)\b.*\r?\n/i,
    ask: 'a1 CAPABILITY\r\n',
    offered: /\bSTARTTLS\b/i,
    start: 'a2 STARTTLS\r\n',
    agreed: /^a2 OK/im,
  },
  smtp: {
    greeting: /^220[ -].*\r?\n/,
    ask: 'EHLO [127.0.0.1]\r\n',
    offered: /^250[ -]STARTTLS\b/im,
    start: 'STARTTLS\r\n',
    agreed: /^220[ -]/m,
  },
}

const ENDS: Readonly<Record<'imap' | 'smtp', RegExp>> = {
  imap: /^a\d .*\r?\n/im,
  smtp: /^\d{3} .*\r?\n$/m,
}

export async function greet(
  socket: Socket,
  protocol: 'imap' | 'smtp',
  wantsTls: boolean,
  silenceMs: number,
): Promise<Greeting> {
  const manner = MANNERS[protocol]
  const hear = (until: RegExp): Promise<string | undefined> => heard(socket, until, silenceMs)
  const greeting = await hear(/\n/)
  if (greeting === undefined) return 'silent'
  if (!manner.greeting.test(greeting)) return 'not_tls'
  if (!wantsTls) return 'greeted'
  socket.write(manner.ask)
  const offer = await hear(ENDS[protocol])
  if (offer === undefined || !manner.offered.test(offer)) return 'no_starttls'
  socket.write(manner.start)
  const answer = await hear(ENDS[protocol])
  return answer !== undefined && manner.agreed.test(answer) ? 'ready' : 'no_starttls'
}

/** What comes up to the end of an answer; undefined where it does not come. */
function heard(socket: Socket, until: RegExp, silenceMs: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let text = ''
    const finish = (result: string | undefined): void => {
      clearTimeout(impatience)
      socket.off('data', onData).off('error', onError).off('close', onClose)
      socket.pause()
      resolve(result)
    }
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1')
      if (until.test(text) || text.length > MOST_BYTES) finish(text)
    }
    const onClose = (): void => finish(text === '' ? undefined : text)
    const onError = (error: Error): void => {
      clearTimeout(impatience)
      reject(error)
    }
    const impatience = setTimeout(() => finish(undefined), silenceMs)
    socket.on('data', onData).on('error', onError).on('close', onClose)
    socket.resume()
  })
}
