/** The beginnings of bodies in search results. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { type Stage, startStage } from './harness.ts'
import { base64, multipart, part } from './mail.ts'
import type { Arguments } from './postern.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

const search = (mailbox: string, args: Arguments = {}) =>
  stage.postern.call('imap_search_messages', { mailbox, limit: 50, ...args })

describe('snippets', () => {
  const long = 'word '.repeat(200)
  const cases: [name: string, raw: string, snippet: string | undefined][] = [
    ['plain text, whitespace folded', letter({ body: '  Hello\r\n\r\n\tworld  \r\n' }), 'Hello world'],
    [
      'html alone',
      part(
        'text/html; charset=utf-8',
        '<html><head><style>p{}</style><title>T</title></head><body><p>Hello <b>there</b></p></body></html>',
      ),
      'Hello there',
    ],
    [
      'base64',
      part('text/plain; charset=utf-8', base64('Grüße, Zoë'), ['Content-Transfer-Encoding: base64']),
      'Grüße, Zoë',
    ],
    [
      'quoted-printable',
      part('text/plain; charset=iso-8859-1', 'Gr=FC=DFe', ['Content-Transfer-Encoding: quoted-printable']),
      'Grüße',
    ],
    [
      'alternatives',
      multipart('alternative', part('text/plain', 'plain version'), part('text/html', '<p>plain version</p>')),
      'plain version',
    ],
    [
      'nested parts',
      multipart('mixed', multipart('related', part('text/html', '<p>deep</p>')), part('application/pdf', 'JVBERi0=')),
      'deep',
    ],
    [
      'no readable part',
      part('application/octet-stream', base64('binary'), ['Content-Transfer-Encoding: base64']),
      undefined,
    ],
    ['nothing at all', letter({ body: '' }), undefined],
    [
      'preamble and part headers are no body',
      multipart('mixed', part('text/plain', 'only this', ['X-Secret: header'])),
      'only this',
    ],
  ]

  beforeAll(async () => {
    await stage.put(
      'Snippets',
      cases.map(([name, raw]) => withSubject(raw, name)),
    )
  })

  const withSubject = (raw: string, subject: string): string =>
    /^Subject:/m.test(raw) ? raw.replace(/^Subject:.*/m, `Subject: ${subject}`) : `Subject: ${subject}\r\n${raw}`

  test.each(cases)('%s', async (name, _, snippet) => {
    const { data } = await search('Snippets', { subject: name, include_snippet: true })
    expect(data.messages[0]?.snippet).toBe(snippet)
  })

  test('are as long as asked for, 200 characters when nothing is said', async () => {
    await stage.put('Long', [letter({ body: long })])
    const lengths = await Promise.all(
      [{}, { snippet_max_chars: 50 }, { snippet_max_chars: 500 }].map(async (args) => {
        const { data } = await search('Long', { include_snippet: true, ...args })
        return data.messages[0]?.snippet?.length
      }),
    )
    for (const [index, most] of [200, 50, 500].entries()) {
      expect(lengths[index]).toBeLessThanOrEqual(most)
      expect(lengths[index]).toBeGreaterThan(most - 6)
    }
  })

  test.each([
    ['emoji', '👩‍👩‍👧‍👦'],
    ['surrogate pairs', '𝄞'],
    ['combining characters', 'é̂'],
    ['flags', '🇨🇭'],
  ])('never end inside a character: %s', async (name, character) => {
    await stage.put('Characters', [letter({ subject: name, body: character.repeat(400) })])
    const { data } = await search('Characters', { subject: name, include_snippet: true, snippet_max_chars: 53 })
    const { snippet = '' } = data.messages[0] ?? {}
    expect(snippet.length).toBeLessThanOrEqual(53)
    expect(snippet.length).toBeGreaterThan(30)
    expect(snippet).toBe(character.repeat(snippet.length / character.length))
  })

  test('of a large message cost only its beginning', async () => {
    await stage.put('Large', [letter({ body: `Beginning. ${'x'.repeat(70)}\r\n`.repeat(30_000) })])
    stage.proxy.forget()
    const { data } = await search('Large', { include_snippet: true })
    expect(data.messages[0]?.snippet).toMatch(/^Beginning\./)
    expect(stage.proxy.received()).toBeLessThan(30_000)
  })
})
