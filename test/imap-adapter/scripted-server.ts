/** An IMAP server that logs everybody in and then says what a test wants it to say, true or not. */
import { createServer, type Socket } from 'node:net'
import type { ImapOptions } from '../../src/adapters/imap/line/options.ts'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'
import { silentLog } from '../dovecot/silent-log.ts'

export interface Said {
  readonly tag: string
  /** The command without its tag, as far as it has come: where it ends with `{n}` the client waits for a `+`. */
  readonly command: string
  readonly socket: Socket
}

/** What to send for a command; undefined for the usual. */
export type Script = (said: Said) => string | undefined

export interface ScriptedServer {
  readonly source: MailSource
  /** Every command that clients sent after login, without its tag, literals in place. */
  readonly commands: readonly string[]
  stop(): Promise<void>
}

const SELECTED = '* 1 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 100] ok\r\n'

export async function startScripted(
  script: Script,
  capability = 'IMAP4rev1 SORT UIDPLUS MOVE LITERAL+',
  settings: Partial<ImapOptions> = {},
): Promise<ScriptedServer> {
  const commands: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.write('* OK ready\r\n')
    readCommands(socket, (line, complete) => {
      const [, tag = '', command = ''] = /^(\S+) (.*)$/s.exec(line) ?? []
      const login = loginAnswer(tag, command, capability)
      if (login === undefined && complete) commands.push(command)
      const reply = login ?? script({ tag, command, socket }) ?? (complete ? usual(tag, command) : '+ go on\r\n')
      socket.write(reply, 'latin1')
      return reply.startsWith('+')
    })
  })
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  const account = { account: 'work', host: '127.0.0.1', port, tls: 'none', user: 'u' } as const
  const options = { ...account, access: fixedPassword('p'), socketTimeoutMs: 2500, ...settings }
  const source = createImapSource(options, silentLog)
  const stop = async (): Promise<void> => {
    await source.close()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { source, commands, stop }
}

/** Calls back for each whole command, and wherever the client waits for leave to send a literal. */
function readCommands(socket: Socket, said: (line: string, complete: boolean) => boolean): void {
  let buffer = ''
  let command = ''
  let literal = 0
  const step = (): boolean => {
    const end = literal > 0 ? literal : buffer.indexOf('\r\n')
    if (end === -1 || buffer.length < end) return false
    command += buffer.slice(0, end)
    buffer = buffer.slice(literal > 0 ? end : end + 2)
    if (literal > 0) {
      literal = 0
      return true
    }
    const [, size, plus] = /\{([0-9]+)(\+?)\}$/.exec(command) ?? []
    if (size === undefined) {
      said(command, true)
      command = ''
    } else if (plus === '+' || said(command, false)) literal = Number(size)
    else command = ''
    return true
  }
  socket.on('data', (chunk: Buffer) => {
    buffer += chunk.toString('latin1')
    while (step());
  })
}

function loginAnswer(tag: string, command: string, capability: string): string | undefined {
  if (/^CAPABILITY/.test(command)) return `* CAPABILITY ${capability}\r\n${tag} OK done\r\n`
  return /^(?:LOGIN|ID|NAMESPACE|LIST "" ""$)/.test(command) ? `${tag} OK done\r\n` : undefined
}

function usual(tag: string, command: string): string {
  return `${/^(?:EXAMINE|SELECT)/.test(command) ? SELECTED : ''}${tag} OK done\r\n`
}
