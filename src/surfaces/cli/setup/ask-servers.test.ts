import { expect, test } from 'vitest'
import type { FoundServers } from '../../../engine/setup/find-servers.ts'
import { askServers } from './ask-servers.ts'
import type { Asking } from './asking.ts'

const IMAP = { host: 'imap.elsewhere.example', port: 993, tls: 'implicit' } as const

function asking(unproven: boolean, interactive: boolean, asked: object[]): Asking {
  const found: FoundServers = { kind: 'servers', servers: { imap: IMAP }, login: 'address', from: 'dns', unproven }
  const prompter = {
    interactive,
    agree: async (question: object) => asked.push(question) > 0,
    say: () => undefined,
    busy: (_message: string, work: () => Promise<unknown>) => work(),
  }
  return { choice: {}, prompter, desk: { find: async () => found }, signal: new AbortController().signal } as never
}

test('a server that only DNS names, of another domain, needs a person who agrees', async () => {
  const asked: object[] = []
  expect(await askServers('ada@example.org', undefined, asking(true, true, asked))).toMatchObject({ imap: IMAP })
  // Enter alone is not a yes.
  expect(asked).toMatchObject([{ message: expect.stringContaining('Only DNS says so'), initial: false }])
  await expect(askServers('ada@example.org', undefined, asking(true, false, asked))).rejects.toThrow(
    /imap\.elsewhere\.example; add --imap-host if that is right/,
  )
  expect(await askServers('ada@example.org', undefined, asking(false, false, asked))).toMatchObject({ imap: IMAP })
})
