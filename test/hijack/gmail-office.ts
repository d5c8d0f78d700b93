/** The same post office over Gmail's API: what leaves is what the emulator was asked to send. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { parseAddresses } from '../../src/core/mime/addresses.ts'
import { allFields, parseHeader } from '../../src/core/mime/header.ts'
import { ADDRESS, gmailScene } from '../gmail-rest/scene.ts'
import { EMMA, type Left, type PostOffice } from './post-office.ts'

export const GMAIL_ADDRESS = ADDRESS
const REFRESH_TOKEN = 'refresh-token-of-the-gmail-office'
const SEND = /^POST \S*\/(?:messages|drafts)\/send/

/** One account. `asked` counts every request to send, whatever came of it. */
export async function gmailOffice(): Promise<PostOffice & { asked(): number }> {
  const gmail = await gmailScene()
  const tokens = await listen(tokensGiving('token-0'))
  const sent = new Set<string>()
  const door = await listen(noting(gmail.url, sent))
  return {
    users: [EMMA],
    folders: ['INBOX', 'Drafts', 'Sent', 'Outbox'],
    accounts: [
      {
        id: EMMA,
        provider: 'gmail',
        user: ADDRESS,
        auth: { type: 'xoauth2', secret_ref: `secret://accounts/${EMMA}/refresh_token` },
      },
    ],
    secrets: { [`accounts/${EMMA}/refresh_token`]: REFRESH_TOKEN },
    env: {
      POSTERN_GMAIL_ENDPOINT: door.url,
      IMAP_MCP_OAUTH_CLIENT_ID: 'a-client',
      IMAP_MCP_OAUTH_AUTH_URL: `${tokens.url}/auth`,
      IMAP_MCP_OAUTH_TOKEN_URL: `${tokens.url}/token`,
    },
    async deliver(_user, mailbox, messages) {
      if (mailbox !== 'INBOX') return
      for (const raw of messages) await gmail.deliver(raw)
    },
    // Mail that is only put among what was sent has not left: it is no answer to a request to send.
    left: () =>
      gmail
        .held()
        .filter(({ id }) => sent.has(id))
        .map(leftOf),
    asked: () => gmail.proxy.requests.filter((line) => SEND.test(line)).length,
    async close() {
      await Promise.all([tokens.close(), door.close()])
      await gmail.close()
    },
  }
}

function leftOf({ raw }: { readonly raw: string }): Left {
  const bytes = Buffer.from(raw, 'base64url')
  const header = parseHeader(bytes)
  const named = ['to', 'cc', 'bcc'].flatMap((field) =>
    allFields(header, field).flatMap((value) => parseAddresses(value)),
  )
  return { recipients: named.map(({ address }) => address), text: bytes.toString() }
}

/** Passes everything on, and notes the ids of what was sent. */
function noting(url: string, sent: Set<string>): RequestListener {
  return async (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request
    const body = await buffer(request)
    const wanted = ['authorization', 'content-type'].flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value] as [string, string]] : []
    })
    const init = { method, headers: wanted, ...(body.length > 0 && { body: new Uint8Array(body) }) }
    const answer = await fetch(`${url}${path}`, init)
    const text = await answer.text()
    if (SEND.test(`${method} ${path}`) && answer.ok) sent.add(JSON.parse(text).id)
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? 'application/json' })
    response.end(text)
  }
}

/** The same token for whoever asks. */
function tokensGiving(token: string): RequestListener {
  const scope = 'https://mail.google.com/'
  const body = JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 3600, scope })
  return (request, response) => {
    request.resume()
    response.setHeader('Content-Type', 'application/json').end(body)
  }
}

async function listen(answer: RequestListener): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
