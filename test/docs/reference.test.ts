/** What is made from the program says what the program is now. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CLIENTS } from '../../src/core/setup/clients.ts'
import { PROVIDERS } from '../../src/core/setup/providers.ts'
import { madePages } from '../../tools/reference-pages.ts'
import { ROOT } from './pages.ts'

test.each(madePages())('$path is up to date; if not, run "npm run reference"', ({ path, text }) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text)
})

test('there are as many as the README says', () => {
  expect(PROVIDERS.length).toBeGreaterThan(40)
  expect(CLIENTS.length).toBeGreaterThanOrEqual(12)
})

test('every command and every tool is in it', () => {
  const [commands, tools] = madePages().map(({ text }) => text)
  for (const name of ['setup', 'client add', 'audit verify', 'transfers retry', 'console']) {
    expect(commands).toMatch(new RegExp(`^##+ postern ${name}$`, 'm'))
  }
  expect(commands).toContain('postern completions fish >')
  for (const name of ['imap_delete_message', 'describe_policy', 'manage_labels', 'reply_email']) {
    expect(tools).toMatch(new RegExp(`^### ${name}$`, 'm'))
  }
})
