/**
 * `postern client add | remove | list`: Postern in the configuration of MCP clients.
 *
 * INVARIANT: of another program's file only the one entry changes, and where a copy of the file was put is said.
 */
import { clientText } from '../../core/setup/client-text.ts'
import type { McpClient, ServerCommand } from '../../core/setup/clients.ts'
import { type ClientChange, type ClientState, requireClient } from '../../engine/setup/client-entries.ts'
import { clientConfigs } from './client-config.ts'
import type { Terminal } from './program.ts'

export type ClientChoice =
  | { readonly command: 'list'; readonly name: string }
  | {
      readonly command: 'add'
      readonly client: string
      readonly name: string
      readonly print: boolean
      readonly caller?: string
      readonly config?: string
    }
  | { readonly command: 'remove'; readonly client: string; readonly name: string }

export interface ClientDesk {
  /** How a client starts this server for a caller; for the only one where none is named. */
  server(caller: string | undefined): ServerCommand
  list(name: string): Promise<readonly ClientState[]>
  add(client: McpClient, name: string, server: ServerCommand): Promise<ClientChange>
  remove(client: McpClient, name: string): Promise<ClientChange>
}

export async function clientCommand(choice: ClientChoice, desk: ClientDesk, terminal: Terminal): Promise<number> {
  if (choice.command === 'list') {
    terminal.print(listed(await desk.list(choice.name)))
    return 0
  }
  const client = requireClient(choice.client)
  if (choice.command === 'remove') {
    terminal.print(`${changeText(await desk.remove(client, choice.name))}\n`)
    return 0
  }
  const server = desk.server(choice.caller)
  if (choice.print) terminal.print(`${snippet(client, choice.name, server)}\n`)
  else if (client.key === undefined) return showByHand(client, choice.name, server, desk, terminal)
  else terminal.print(`${changeText(await desk.add(client, choice.name, server))}\n`)
  return 0
}

/** One whose file is not edited here. A script has to hear that nothing was added. */
async function showByHand(
  client: McpClient,
  name: string,
  server: ServerCommand,
  desk: ClientDesk,
  terminal: Terminal,
): Promise<number> {
  const file = (await desk.list(name)).find((state) => state.client.id === client.id)?.file ?? 'its file'
  terminal.print(`${snippet(client, name, server)}\n`)
  terminal.complain(`postern: nothing was changed. Put this into ${file} yourself, then ${client.after}\n`)
  return 1
}

/** Claude Code has a command for it, which is shorter than its file. */
function snippet(client: McpClient, name: string, server: ServerCommand): string {
  if (client.id !== 'claude-code' || name !== 'postern') return clientText(client, name, server)
  return clientConfigs({ stdio: server }).find((config) => config.client === client.name)?.text ?? ''
}

export function changeText({ client, file, kind, backup }: ClientChange): string {
  const copy = backup === undefined ? '' : `; what was there before is in ${backup}`
  switch (kind) {
    case 'added':
      return `${client.name}: added to ${file}${copy}. Now ${client.after}.`
    case 'changed':
      return `${client.name}: brought up to date in ${file}${copy}. Now ${client.after}.`
    case 'unchanged':
      return `${client.name}: ${file} has it already.`
    case 'removed':
      return `${client.name}: removed from ${file}${copy}.`
    case 'absent':
      return `${client.name}: ${file} does not have it.`
  }
}

function listed(states: readonly ClientState[]): string {
  const width = Math.max(...states.map(({ client }) => client.id.length))
  return states
    .map(({ client, file, found, configured }) => {
      const state = configured ? 'has Postern' : found ? 'found here' : '-'
      return `${client.id.padEnd(width)}  ${state.padEnd(11)}  ${file}\n`
    })
    .join('')
}
