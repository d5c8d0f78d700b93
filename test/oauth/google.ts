/** Google's OAuth as the emulator plays it, and a person who clicks through its consent page. */
import { createServer as createEmulator } from '@emulators/core'
import { googlePlugin, seedFromConfig } from '@emulators/google'
import { serve } from '@hono/node-server'
import type { OAuthSettings } from '../../src/adapters/oauth/settings.ts'
import { freePort } from '../dovecot/dovecot.ts'

export const ADDRESS = 'ada@gmail.example'

export interface Google {
  readonly url: string
  readonly settings: OAuthSettings
  /** The person takes the access back. */
  revoke(token: string): Promise<void>
  /** Whose mail an access token opens. */
  ownerOf(accessToken: string): Promise<string | undefined>
  close(): Promise<void>
}

export async function startGoogle(): Promise<Google> {
  const [port, redirectPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const { app, store } = createEmulator(googlePlugin, { port, baseUrl: url })
  const client = { client_id: 'desktop-app', client_secret: 'GOCSPX-not-really-secret', name: 'Postern' }
  const redirect_uris = [`http://127.0.0.1:${redirectPort}/callback`]
  seedFromConfig(store, url, {
    users: [{ email: ADDRESS, name: 'Ada' }],
    oauth_clients: [{ ...client, redirect_uris }],
  })
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const started = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => resolve(started))
  })
  return {
    url,
    settings: {
      ...{ provider: 'google', clientId: client.client_id, clientSecret: client.client_secret, redirectPort },
      ...{ authorizationUrl: `${url}/o/oauth2/v2/auth`, tokenUrl: `${url}/oauth2/token`, issuer: url },
    },
    revoke: async (token) => {
      await fetch(`${url}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams({ token }) })
    },
    ownerOf: async (accessToken) => {
      const response = await fetch(`${url}/oauth2/v2/userinfo`, { headers: { Authorization: `Bearer ${accessToken}` } })
      return ((await response.json()) as { email?: string }).email
    },
    close: async () => {
      const gone = new Promise((resolve) => server.close(resolve))
      if ('closeAllConnections' in server) server.closeAllConnections()
      await gone
    },
  }
}

/** Opens the consent page, presses the button with the person's name, and gives where the browser is sent. */
export async function consent(url: string): Promise<string> {
  const page = await (await fetch(url)).text()
  const form = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(page)
  if (form === null) throw new Error('there is no button on the consent page')
  const fields = [...(form[2] ?? '').matchAll(/<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"/g)]
  const body = new URLSearchParams(fields.map(([, name = '', value = '']) => [name, unescaped(value)]))
  const response = await fetch(new URL(form[1] ?? '', url), { method: 'POST', body, redirect: 'manual' })
  return response.headers.get('location') ?? ''
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}
