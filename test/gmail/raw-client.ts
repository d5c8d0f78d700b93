/** A client that sends what it is told and shows the bytes that come back. */

import { once } from 'node:events'
import { connect } from 'node:net'
import { DEFAULT_ACCOUNT, type Gmail } from './server.ts'

export interface RawClient {
  /** Sends one command and gives everything up to its tagged answer, without the tag. */
  send(command: string): Promise<string>
  /** Sends bytes as they are. */
  write(text: string): void
  /** Everything that has come, once it holds this. */
  until(text: string): Promise<string>
  close(): void
}

export async function rawClient({ host, port }: Pick<Gmail, 'host' | 'port'>, login = true): Promise<RawClient> {
  const socket = connect(port, host)
  let text = ''
  let wake = (): void => undefined
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    wake()
  })
  socket.on('close', () => wake())
  await once(socket, 'connect')
  const until = async (wanted: string | RegExp): Promise<string> => {
    for (;;) {
      const at =
        typeof wanted === 'string' ? text.indexOf(wanted) + wanted.length : (wanted.exec(text)?.index ?? -1) + 1
      const found = typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)
      if (found) {
        const end = typeof wanted === 'string' ? at : at - 1 + (wanted.exec(text)?.[0].length ?? 0)
        const seen = text.slice(0, end)
        text = text.slice(end)
        return seen
      }
      if (socket.destroyed) throw new Error(`the server closed the connection after: ${text}`)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  await until('\r\n')
  let count = 0
  const client: RawClient = {
    send: async (command) => {
      count += 1
      socket.write(`t${count} ${command}\r\n`, 'latin1')
      const answer = await until(new RegExp(`(?:^|\\r\\n)t${count} [^\\r]*\\r\\n`))
      return answer.replace(`t${count} `, '')
    },
    write: (bytes) => {
      socket.write(bytes, 'latin1')
    },
    until,
    close: () => socket.destroy(),
  }
  if (login) await client.send(`LOGIN "${DEFAULT_ACCOUNT.user}" "${DEFAULT_ACCOUNT.password}"`)
  return client
}
