/** Reads a conversation with a mail server as the server would: where a command ends, and what is only its text. */
export interface Command {
  readonly tag: string
  readonly verb: string
  /** Without the texts that were sent as literals. */
  readonly line: string
}

/** `sent` has one character for each byte. */
export function commandsIn(sent: string): Command[] {
  const commands: Command[] = []
  let at = 0
  while (at < sent.length) {
    let line = ''
    for (let literal = true; literal; ) {
      const end = sent.indexOf('\r\n', at)
      const piece = sent.slice(at, end === -1 ? sent.length : end)
      at = end === -1 ? sent.length : end + 2
      line += piece
      const [, size] = /\{([0-9]+)\+?\}$/.exec(piece) ?? []
      literal = size !== undefined
      at += Number(size ?? 0)
    }
    // What answers the server's question for credentials is no command.
    if (commands.at(-1)?.verb === 'AUTHENTICATE' && !line.includes(' ')) continue
    const [tag = '', verb = '', next = ''] = line.split(' ')
    commands.push({ tag, verb: verb.toUpperCase() === 'UID' ? `UID ${next.toUpperCase()}` : verb.toUpperCase(), line })
  }
  return commands
}
