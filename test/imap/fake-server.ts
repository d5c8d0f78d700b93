/** Mail servers that no Dovecot can be made to be. */
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface FakeServer {
  readonly port: number
  /** What clients have said so far. */
  heard(): string
  close(): Promise<void>
}

/** `answer` is given each line of a client and says what to send back. */
export async function startFake(greeting: string, answer: (line: string) => string): Promise<FakeServer> {
  const sockets = new Set<Socket>()
  let heard = ''
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.write(greeting)
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
      for (const line of chunk.toString('latin1').split('\r\n').slice(0, -1)) socket.write(answer(line))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    heard: () => heard,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Accepts connections and says nothing. */
export const startMute = (): Promise<FakeServer> => startFake('', () => '')

/** A server as of old: it would take a password in the clear, and knows no STARTTLS. */
export const startCleartextOnly = (): Promise<FakeServer> =>
  startFake('* OK [CAPABILITY IMAP4rev1] hello\r\n', (line) => {
    const [tag = '', command = ''] = line.split(' ')
    if (command.toUpperCase() === 'CAPABILITY') return `* CAPABILITY IMAP4rev1\r\n${tag} OK done\r\n`
    return command.toUpperCase() === 'LOGIN' ? `${tag} OK welcome\r\n` : `${tag} BAD what\r\n`
  })

/** Lets everybody in and claims to be able to do all kinds of things. */
export const startBoasting = (): Promise<FakeServer> => {
  const able = ['IMAP4rev1', ...Array.from({ length: 300 }, (_, index) => `X-ABILITY-${index}`)].join(' ')
  return startFake(`* OK [CAPABILITY ${able}] hello\r\n`, (line) => {
    const [tag = '', command = ''] = line.split(' ')
    const told = /CAPABILITY/i.test(command) ? `* CAPABILITY ${able}\r\n` : ''
    return `${told}${tag} OK done\r\n`
  })
}

/** Says in its refusal what it was sent, password and all. */
export const startEchoing = (): Promise<FakeServer> =>
  startFake('* OK [CAPABILITY IMAP4rev1] hello\r\n', (line) => {
    const [tag = '', command = ''] = line.split(' ')
    if (command.toUpperCase() === 'CAPABILITY') return `* CAPABILITY IMAP4rev1\r\n${tag} OK done\r\n`
    return `${tag} NO [AUTHENTICATIONFAILED] you said ${line}\r\n`
  })
