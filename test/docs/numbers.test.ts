/**
 * Numbers that pages state are those that the program uses. What the program does with each of them is shown by the tests that
 * docs/assurance.md names.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MOST_SAVED_BYTES } from '../../src/adapters/attachments/attachment-files.ts'
import { HOOK_LIMIT_MS } from '../../src/adapters/audit/root-hook.ts'
import { MOST_SEARCHED_CHARS } from '../../src/core/content.ts'
import { SEND_DEFAULTS } from '../../src/core/policy/sending.ts'
import { sizeWords } from '../../src/core/policy/size.ts'
import { SERVER_PATIENCE_MS } from '../../src/engine/accounts/server-patience.ts'
import { CALL_DEADLINE_MS } from '../../src/engine/gate/deadline.ts'
import { backOff } from '../../src/engine/transfer/back-off.ts'
import { LARGEST_CARRIED } from '../../src/engine/transfer/fetch-step.ts'
import { RETRY_LIMIT } from '../../src/house/postern.ts'
import { inboxSet } from '../../src/surfaces/tools/inbox/set.ts'
import { pageAt, ROOT } from './pages.ts'

const { limits: inbox } = inboxSet
if (inbox === undefined) throw new Error('the inbox set has limits')
const seconds = (ms: number): number => ms / 1000
const perTool = Object.entries(inbox.perTool).map(([name, most]) => `${most} \`${name}\``)
const { messages, bytes } = SEND_DEFAULTS.pendingLimit

test.each([
  ['docs/inbox.md', `For each caller ${inbox.perMinute} calls a minute and ${inbox.perHour} an hour`],
  ['docs/inbox.md', `in a minute at most ${perTool.join(', ')}.`],
  ['docs/inbox.md', `A call takes ${seconds(inbox.deadlineMs)} s at most.`],
  [
    'docs/configuration.md',
    `within ${seconds(CALL_DEADLINE_MS)} seconds (tool set \`inbox\`: ${seconds(inbox.deadlineMs)})`,
  ],
  ['docs/configuration.md', `does not answer within ${seconds(SERVER_PATIENCE_MS)} seconds`],
  ['docs/mirror.md', `does not answer within ${seconds(SERVER_PATIENCE_MS)} seconds`],
  ['docs/configuration.md', `{ messages: ${messages}, bytes: ${sizeWords(bytes)} }`],
  ['docs/outbox.md', `at most ${messages} messages and ${sizeWords(bytes)} in the outbox`],
  ['docs/configuration.md', `at most ${sizeWords(MOST_SAVED_BYTES)} together`],
  ['docs/audit.md', `for ${seconds(HOOK_LIMIT_MS)} seconds at most`],
  ['docs/configuration.md', `tried again after ${waits()} seconds`],
  ['docs/configuration.md', `\`IMAP_MCP_RETRY_LIMIT\` times, ${RETRY_LIMIT} when absent`],
  ['docs/moving.md', `tried again after ${waits()} seconds`],
  ['docs/moving.md', `a message over ${sizeWords(LARGEST_CARRIED)}`],
  ['docs/search.md', `up to ${MOST_SEARCHED_CHARS.toLocaleString('en')} characters`],
])('%s says: %s', (path, sentence) => {
  expect(pageAt(path).text.replaceAll(/\s+/g, ' ')).toContain(sentence)
})

function waits(): string {
  const [first, second, third] = [1, 2, 3].map((failures) => seconds(backOff(failures)))
  return `${first}, ${second} and ${third}`
}

test('imapflow is not older than 2.0.8, which could lose a message', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const { version } = lock.packages['node_modules/imapflow'] as { version: string }
  expect(version.localeCompare('2.0.8', 'en', { numeric: true })).toBeGreaterThanOrEqual(0)
})
