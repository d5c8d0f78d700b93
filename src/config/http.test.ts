import { expect, test } from 'vitest'
import { readHttpSettings } from './http.ts'

test('says nothing where nothing is set', () => {
  expect(readHttpSettings({})).toEqual({ allowedHosts: [] })
  const blank = { IMAP_MCP_HTTP_HOST: ' ', IMAP_MCP_HTTP_PORT: '', POSTERN_HTTP_ALLOWED_HOSTS: ' , ' }
  expect(readHttpSettings(blank)).toEqual({ allowedHosts: [] })
})

test('reads where to listen', () => {
  const env = { IMAP_MCP_HTTP_HOST: ' 0.0.0.0 ', IMAP_MCP_HTTP_PORT: '0' }
  expect(readHttpSettings(env)).toEqual({ host: '0.0.0.0', port: 0, allowedHosts: [] })
})

test.each(['65536', '-1', '80a', '1e3', '123456'])('the port %j is refused', (port) => {
  expect(() => readHttpSettings({ IMAP_MCP_HTTP_PORT: port })).toThrow(/IMAP_MCP_HTTP_PORT must be a number/)
})

test('names are brought to the form in which a Host header is compared', () => {
  const env = { POSTERN_HTTP_ALLOWED_HOSTS: 'Mail.Example.COM:8025, bücher.example,[::1], 10.0.0.7' }
  const allowedHosts = ['mail.example.com', 'xn--bcher-kva.example', '[::1]', '10.0.0.7']
  expect(readHttpSettings(env)).toEqual({ allowedHosts })
})

test.each(['*', '*.example.com', 'https://mail.example.com', 'a@b', 'a b', 'host:port', 'a/b'])(
  'the name %j is refused',
  (name) => {
    expect(() => readHttpSettings({ POSTERN_HTTP_ALLOWED_HOSTS: `ok.example,${name}` })).toThrow(
      /POSTERN_HTTP_ALLOWED_HOSTS/,
    )
  },
)
