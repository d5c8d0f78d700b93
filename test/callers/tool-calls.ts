/** What a call looks like, for processes that run without the test runner. */

export function toolCall(id: number, name: string, args: object = {}): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
}

export const inbox = (account: string): object => ({ account, folder: 'INBOX' })
