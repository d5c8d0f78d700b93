import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countSuspiciousInText, readLink, readResource } from './links.ts'

test.each([
  ['https://a.example/x', 'here', 'plain', 'https://a.example/x'],
  ['https://a.example', 'www.a.example', 'plain', 'https://a.example/'],
  ['https://www.a.example', 'https://a.example/login', 'plain', 'https://www.a.example/'],
  ['https://mail.a.example', 'a.example', 'plain', 'https://mail.a.example/'],
  ['https://evil.example/', 'https://paypal.com/login', 'suspicious', 'https://evil.example/'],
  ['https://evil.example/', 'paypal.com', 'suspicious', 'https://evil.example/'],
  ['https://evil.example/', 'read me.first', 'plain', 'https://evil.example/'],
  ['https://evil.example/', 'notes.txt', 'plain', 'https://evil.example/'],
  ['https://paypal.com@evil.example/', 'x', 'suspicious', 'https://paypal.com@evil.example/'],
  ['https://xn--pypal-4ve.com/', 'x', 'suspicious', 'https://xn--pypal-4ve.com/'],
  ['http://169.254.169.254/', 'x', 'suspicious', 'http://169.254.169.254/'],
  ['http://0x7f.1/', 'x', 'suspicious', 'http://127.0.0.1/'],
  ['http://[::1]/', 'x', 'suspicious', 'http://[::1]/'],
  ['JavaScript:alert(1)', 'x', 'active', undefined],
  [' java\nscript:alert(1)', 'x', 'active', undefined],
  ['data:text/html,x', 'x', 'active', undefined],
  ['file:///etc/passwd', 'x', 'suspicious', undefined],
  ['\\\\evil.example\\share', 'x', 'suspicious', undefined],
  ['mailto:a@b.example?subject=hi', 'x', 'plain', 'mailto:a@b.example'],
  ['mailto:a@b.example?bcc=c@d.example', 'x', 'suspicious', 'mailto:a@b.example'],
  ['tel:+123', 'x', 'plain', undefined],
  ['#top', 'x', 'plain', undefined],
  ['', 'x', 'plain', undefined],
])('%j shown as %j', (href, text, verdict, target) => {
  expect(readLink(href, text)).toEqual({ verdict, target })
})

test.each([
  ['cid:x', 'inside'],
  ['data:image/png;base64,x', 'inside'],
  ['https://a.example/x.png', 'remote'],
  ['//a.example/x.png', 'remote'],
  ['x.png', 'remote'],
  ['http://169.254.169.254/x', 'suspicious'],
  ['file:///etc/passwd', 'suspicious'],
  ['\\\\a\\b', 'suspicious'],
])('%j is loaded from %s', (address, verdict) => {
  expect(readResource(address)).toBe(verdict)
})

test.each([
  ['see https://a.example/x and http://b.example', 0],
  ['http://10.0.0.1/x https://xn--a.com', 2],
  ['![x](https://a.example) and <img src="https://b.example">', 2],
  ['nothing! [x](y)', 0],
  ['HTTP://10.0.0.1/x <IMG SRC = x', 2],
  ['a < b, c://d', 0],
])('%j holds %i suspicious addresses', (text, count) => {
  expect(countSuspiciousInText(text)).toBe(count)
})

test('whatever the address, it is judged without an error, and nothing but web and mail addresses is given on', () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl(), fc.string(), fc.string({ unit: 'binary' })), fc.string(), (href, text) => {
      expect(readLink(href, text).target ?? 'https:').toMatch(/^(?:https?|mailto):/)
      readResource(href)
    }),
  )
})
