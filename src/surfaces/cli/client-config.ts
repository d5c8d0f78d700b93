/** What to paste into an MCP client so that it finds this server. */
export interface ClientCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export interface ClientAddress {
  readonly url: string
  readonly token: string
}

export interface Reach {
  readonly http?: ClientAddress
  readonly stdio?: ClientCommand
}

export interface ClientConfig {
  readonly client: string
  /** The file it belongs in, or where to run it. */
  readonly where: string
  /** Over stdio it starts a server of its own. */
  readonly over: 'http' | 'stdio'
  readonly text: string
}

/** Over HTTP where there is an address and the client can send a token, else over stdio. */
export function clientConfigs(reach: Reach): ClientConfig[] {
  const { http, stdio } = reach
  const entry = http === undefined ? stdioEntry(stdio) : httpEntry(http)
  const over: ClientConfig['over'] = http === undefined ? 'stdio' : 'http'
  const configs: ClientConfig[] = [
    { client: 'Claude Code', where: 'run in a terminal', over, text: claudeCode(reach) },
    // Claude Desktop's file takes commands only.
    {
      client: 'Claude Desktop',
      where: 'claude_desktop_config.json',
      over: 'stdio',
      text: json({ mcpServers: { postern: stdioEntry(stdio) } }),
    },
    { client: 'Cursor', where: '~/.cursor/mcp.json', over, text: json({ mcpServers: { postern: entry } }) },
    {
      client: 'VS Code',
      where: '.vscode/mcp.json',
      over,
      text: json({ servers: { postern: { type: over, ...entry } } }),
    },
  ]
  return configs.filter((config) => (config.over === 'http' ? http : stdio) !== undefined)
}

function claudeCode({ http, stdio }: Reach): string {
  if (http !== undefined) {
    return `claude mcp add --transport http postern ${http.url} --header ${quote(`Authorization: Bearer ${http.token}`)}`
  }
  const env = Object.entries(stdio?.env ?? {}).map(([name, value]) => `--env ${quote(`${name}=${value}`)}`)
  const words = [stdio?.command ?? '', ...(stdio?.args ?? [])].map(quote)
  return ['claude mcp add postern', ...env, '--', ...words].join(' ')
}

function httpEntry({ url, token }: ClientAddress): Record<string, unknown> {
  return { url, headers: { Authorization: `Bearer ${token}` } }
}

function stdioEntry(command: ClientCommand | undefined): Record<string, unknown> {
  if (command === undefined) return {}
  const { env, ...rest } = command
  return env === undefined ? rest : { ...rest, env }
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
}

/** For a POSIX shell: as it is where that is safe, else in single quotes. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
