/** The MCP clients that are known: where each keeps its list of servers, and how it writes one. */
import type { Json } from './jsonc-edit.ts'

export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Where things are on this machine. Paths here have slashes between levels. */
export interface Places {
  readonly platform: string
  readonly home: string
  /** `%APPDATA%` on Windows. */
  readonly appData?: string | undefined
  /** `XDG_CONFIG_HOME` elsewhere. */
  readonly configHome?: string | undefined
}

export interface McpClient {
  readonly id: string
  readonly name: string
  /** Its file, as a list of levels below a place of the platform. */
  path(places: Places): readonly string[]
  /** The keys that lead to the list of servers. Absent where the file is no JSON: then the entry is only shown. */
  readonly key?: string
  entry(server: ServerCommand): { readonly [key: string]: Json }
  /** What has to be done before the client sees it. */
  readonly after: string
}

const RESTART = 'start it anew'

type Entry = { readonly [key: string]: Json }
const plain = ({ command, args, env }: ServerCommand): Entry => ({ command, args, env })
const typed = (server: ServerCommand): Entry => ({ type: 'stdio', ...plain(server) })
const home =
  (...levels: readonly string[]) =>
  (places: Places): readonly string[] => [places.home, ...levels]

/** The platform's place for the files of graphical programs. */
function application(...levels: readonly string[]) {
  return ({ platform, home: own, appData, configHome }: Places): readonly string[] => {
    if (platform === 'darwin') return [own, 'Library', 'Application Support', ...levels]
    if (platform === 'win32') return appData ? [appData, ...levels] : [own, 'AppData', 'Roaming', ...levels]
    return configHome ? [configHome, ...levels] : [own, '.config', ...levels]
  }
}

/** Programs that use the same place everywhere but on Windows. */
function settings(unix: readonly string[], windows: readonly string[]) {
  return (places: Places): readonly string[] => {
    if (places.platform === 'win32') return application(...windows)(places)
    return places.configHome ? [places.configHome, ...unix] : [places.home, '.config', ...unix]
  }
}

const EXTENSION = ['User', 'globalStorage', 'saoudrizwan.claude-dev', 'settings', 'cline_mcp_settings.json']

export const CLIENTS: readonly McpClient[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    path: home('.claude.json'),
    key: 'mcpServers',
    entry: typed,
    after: 'start a new session',
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    path: application('Claude', 'claude_desktop_config.json'),
    key: 'mcpServers',
    entry: plain,
    after: 'quit it and start it anew',
  },
  {
    id: 'cursor',
    name: 'Cursor',
    path: home('.cursor', 'mcp.json'),
    key: 'mcpServers',
    entry: plain,
    after: 'turn it on under Settings, MCP',
  },
  {
    id: 'vscode',
    name: 'VS Code',
    path: application('Code', 'User', 'mcp.json'),
    key: 'servers',
    entry: typed,
    after: 'run "MCP: List Servers" and start it',
  },
  {
    id: 'vscode-insiders',
    name: 'VS Code Insiders',
    path: application('Code - Insiders', 'User', 'mcp.json'),
    key: 'servers',
    entry: typed,
    after: 'run "MCP: List Servers" and start it',
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    path: home('.codeium', 'windsurf', 'mcp_config.json'),
    key: 'mcpServers',
    entry: plain,
    after: 'press the refresh button in its list of MCP servers',
  },
  {
    id: 'zed',
    name: 'Zed',
    path: settings(['zed', 'settings.json'], ['Zed', 'settings.json']),
    key: 'context_servers',
    entry: (server) => ({ source: 'custom', ...plain(server) }),
    after: RESTART,
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    path: home('.gemini', 'settings.json'),
    key: 'mcpServers',
    entry: plain,
    after: RESTART,
  },
  {
    id: 'cline',
    name: 'Cline',
    path: application('Code', ...EXTENSION),
    key: 'mcpServers',
    entry: plain,
    after: RESTART,
  },
  {
    id: 'copilot-cli',
    name: 'GitHub Copilot CLI',
    path: home('.copilot', 'mcp-config.json'),
    key: 'mcpServers',
    entry: (server) => ({ type: 'local', ...plain(server), tools: ['*'] }),
    after: RESTART,
  },
  {
    id: 'lm-studio',
    name: 'LM Studio',
    path: home('.lmstudio', 'mcp.json'),
    key: 'mcpServers',
    entry: plain,
    after: 'turn it on in the Program tab',
  },
  {
    id: 'kiro',
    name: 'Kiro',
    path: home('.kiro', 'settings', 'mcp.json'),
    key: 'mcpServers',
    entry: plain,
    after: RESTART,
  },
  {
    id: 'opencode',
    name: 'opencode',
    path: settings(['opencode', 'opencode.json'], ['opencode', 'opencode.json']),
    key: 'mcp',
    entry: ({ command, args, env }) => ({
      type: 'local',
      command: [command, ...args],
      environment: env,
      enabled: true,
    }),
    after: RESTART,
  },
  {
    id: 'codex',
    name: 'Codex CLI',
    path: home('.codex', 'config.toml'),
    entry: plain,
    after: RESTART,
  },
]

export function clientNamed(id: string): McpClient | undefined {
  return CLIENTS.find((client) => client.id === id)
}
