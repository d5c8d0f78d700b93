/** The same post office over Gmail's API: what leaves is what the emulator was asked to send. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseAddresses } from '../../src/core/mime/addresses.ts'
import { allFields, parseHeader } from '../../src/core/mime/header.ts'
import { ADDRESS, gmailScene } from '../gmail-rest/scene.ts'
import { EMMA, type Left, type PostOffice } from './post-office.ts'

const REFRESH_TOKEN = 'refresh-token-of-the-gmail-office'
/** Others are labels that somebody made. */
const SYSTEM = new Set(['INBOX', 'Sent', 'Drafts'])
const SEND = /^POST \S*\/(?:messages|drafts)\/send/

/** One account. */
export async function gmailOffice(): Promise<PostOffice> {
  const gmail = await gmailScene()
  const tokens = await listen(tokensGiving('token-0'))
  const sent = new Set<string>()
  gmail.proxy.heed((line, { status, text }) => {
    if (SEND.test(line) && status === 200) sent.add(JSON.parse(text).id)
  })
  const labels = new Map<string, string>()
  return {
    users: [EMMA],
    address: ADDRESS,
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
      POSTERN_GMAIL_ENDPOINT: gmail.url,
      IMAP_MCP_OAUTH_CLIENT_ID: 'a-client',
      IMAP_MCP_OAUTH_AUTH_URL: `${tokens.url}/auth`,
      IMAP_MCP_OAUTH_TOKEN_URL: `${tokens.url}/token`,
    },
    async deliver(_user, mailbox, messages) {
      const own = SYSTEM.has(mailbox)
        ? mailbox.toUpperCase()
        : (labels.get(mailbox) ?? (await gmail.createLabel(mailbox)))
      labels.set(mailbox, own)
      for (const raw of messages) await gmail.deliver(raw, { labels: [own, 'UNREAD'] })
    },
    // Mail that is only put among what was sent has not left: it is no answer to a request to send.
    left: () =>
      gmail
        .held()
        .filter(({ id }) => sent.has(id))
        .map(leftOf),
    asked: () => gmail.proxy.requests.filter((line) => SEND.test(line)).length,
    async close() {
      await tokens.close()
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
