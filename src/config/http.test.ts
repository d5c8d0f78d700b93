import { expect, test } from 'vitest'
import { readHttpSettings } from './http.ts'

test('says nothing where nothing is set', () => {
  expect(readHttpSettings({})).toEqual({ allowedHosts: [], allowedOrigins: [] })
  const blank = {
    IMAP_MCP_HTTP_HOST: ' ',
    IMAP_MCP_HTTP_PORT: '',
    POSTERN_HTTP_ALLOWED_HOSTS: ' , ',
    POSTERN_HTTP_ALLOWED_ORIGINS: ',',
  }
  expect(readHttpSettings(blank)).toEqual({ allowedHosts: [], allowedOrigins: [] })
})

test('reads where to listen', () => {
  const env = { IMAP_MCP_HTTP_HOST: ' 0.0.0.0 ', IMAP_MCP_HTTP_PORT: '0' }
  expect(readHttpSettings(env)).toEqual({ host: '0.0.0.0', port: 0, allowedHosts: [], allowedOrigins: [] })
})

test.each(['65536', '-1', '80a', '1e3', '123456'])('the port %j is refused', (port) => {
  expect(() => readHttpSettings({ IMAP_MCP_HTTP_PORT: port })).toThrow(/IMAP_MCP_HTTP_PORT must be a number/)
})

test('names are brought to the form in which a Host header is compared', () => {
  const env = { POSTERN_HTTP_ALLOWED_HOSTS: 'Mail.Example.COM:8025, bücher.example,[::1], 10.0.0.7' }
  const allowedHosts = ['mail.example.com', 'xn--bcher-kva.example', '[::1]', '10.0.0.7']
  expect(readHttpSettings(env)).toEqual({ allowedHosts, allowedOrigins: [] })
})

test.each(['*', '*.example.com', 'https://mail.example.com', 'a@b', 'a b', 'host:port', 'a/b'])(
  'the name %j is refused',
  (name) => {
    expect(() => readHttpSettings({ POSTERN_HTTP_ALLOWED_HOSTS: `ok.example,${name}` })).toThrow(
      /POSTERN_HTTP_ALLOWED_HOSTS/,
    )
  },
)

test('origins are brought to the form in which a browser writes them', () => {
  const env = {
    POSTERN_HTTP_ALLOWED_ORIGINS: 'HTTPS://App.Example.com:443, http://localhost:6274,vscode-webview://Panel',
  }
  const allowedOrigins = ['https://app.example.com', 'http://localhost:6274', 'vscode-webview://panel']
  expect(readHttpSettings(env)).toEqual({ allowedHosts: [], allowedOrigins })
})

test.each(['*', 'null', 'app.example.com', 'https://*.example.com', 'https://a/b', 'https://u@a', 'http://a b'])(
  'the origin %j is refused',
  (origin) => {
    expect(() => readHttpSettings({ POSTERN_HTTP_ALLOWED_ORIGINS: `https://ok.example,${origin}` })).toThrow(
      /POSTERN_HTTP_ALLOWED_ORIGINS/,
    )
  },
)
