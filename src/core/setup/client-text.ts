/** What a person pastes into a client's file by hand. */
import type { McpClient, ServerCommand } from './clients.ts'

export function clientText(client: McpClient, name: string, server: ServerCommand): string {
  const entry = client.entry(server)
  if (client.key !== undefined) return JSON.stringify({ [client.key]: { [name]: entry } }, undefined, 2)
  return toml(name, server)
}

/** TOML's basic strings are JSON's, but for a few characters that no command holds. */
function toml(name: string, { command, args, env }: ServerCommand): string {
  const text = (value: string): string => JSON.stringify(value).replaceAll('\u007f', '\\u007f')
  const variables = Object.entries(env).map(([key, value]) => `${text(key)} = ${text(value)}`)
  return [
    `[mcp_servers.${text(name)}]`,
    `command = ${text(command)}`,
    `args = [${args.map(text).join(', ')}]`,
    ...(variables.length === 0 ? [] : [`env = { ${variables.join(', ')} }`]),
  ].join('\n')
}
