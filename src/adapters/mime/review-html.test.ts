import { describe, expect, test } from 'vitest'
import { reviewSending } from '../../core/outbox/unseen.ts'
import { reviewHtml } from './review-html.ts'

/** What has to be acknowledged of a message whose text is `Hi`. */
function unseenIn(html: string): string {
  const { unseen } = reviewSending({ subject: '', text: 'Hi', html }, reviewHtml(html))
  return unseen.map(({ what, text }) => `${what}: ${text}`).join('\n')
}

describe('what stands in a tag and shows nowhere has to be acknowledged', () => {
  test.each([
    ['an attribute of an end tag', '<p>Hi</p note="the code is 4711">'],
    ['an end tag that does not end', '<p>Hi</p the code is 4711'],
    ['a repeated attribute', '<p align="left" align="the code is 4711">Hi</p>'],
    ['a repeated address', '<p>Hi</p><img src="cid:1" src="http://tracker.example/4711">'],
    ['a tag that does not end', '<p>Hi</p><p align="the code is 4711'],
    ['attributes without values', '<p the code is 4711>Hi</p>'],
    ['slashes between attributes', '<p/code/is/4711>Hi</p>'],
    ['the name of an element', '<p>Hi</p><code-is-4711>'],
    ['the name of an end tag', '<p>Hi</p></code-is-4711>'],
    ['a sentence of classes', '<p class="whoever reads this should know that the secret code is 4711">Hi</p>'],
    ['a declaration', '<!DOCTYPE html PUBLIC "-//W3C//DTD the code is 4711"><p>Hi</p>'],
    [
      'an address in a style sheet',
      '<style>p{filter:progid:Loader(src="http://tracker.example/4711")}</style><p>Hi</p>',
    ],
  ])('%s', (_, html) => {
    expect(unseenIn(html)).toContain('4711')
  })

  test('ordinary mail needs no acknowledgement', () => {
    const table =
      '<table width="100%" border="0" cellpadding="0"><tr><td nowrap class="a b" style="color:#333">Hi</td></tr>'
    const declaration =
      '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">'
    expect(unseenIn(`${declaration}<html><body>${table}</table ><br/><hr noshade></body></html>`)).toBe('')
  })
})
