/** Whom a Dovecot asks about access tokens: a small server that says for whom each is. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TokenOffice {
  /** Configuration lines for the Dovecot that is to ask here. */
  readonly extra: string
  /** Tokens that are good now, and whose they are. */
  readonly valid: Map<string, string>
  stop(): Promise<void>
}

export async function openTokenOffice(): Promise<TokenOffice> {
  const valid = new Map<string, string>()
  const server = createServer((request, response) => {
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const email = valid.get(token)
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(email === undefined ? { active: false, email: '' } : { active: true, email }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const directory = await mkdtemp(join(tmpdir(), 'pt-'))
  const file = join(directory, 'oauth2.conf')
  const settings = [
    'introspection_mode = auth',
    `introspection_url = http://127.0.0.1:${port}/`,
    'username_attribute = email',
    'active_attribute = active',
    'active_value = true',
  ]
  await writeFile(file, `${settings.join('\n')}\n`, { mode: 0o644 })
  const passdb = `passdb {\n  driver = oauth2\n  mechanisms = xoauth2 oauthbearer\n  args = ${file}\n}`
  return {
    extra: `auth_mechanisms = plain login xoauth2 oauthbearer\n${passdb}`,
    valid,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(directory, { recursive: true })
    },
  }
}
