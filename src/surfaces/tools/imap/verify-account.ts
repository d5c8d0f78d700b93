/** Connects and logs in, and says what the server can do. */
import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { envelopeSchema, respond } from './envelope.ts'
import { accountId } from './fields.ts'
import { listMailboxes, retryInstruction } from './next-action.ts'

const MOST_CAPABILITIES = 256

export const imapVerifyAccount = defineTool({
  name: 'imap_verify_account',
  title: 'Verify a mail account',
  description: 'Connect and log in to an account; returns latency and server capabilities, or what is wrong.',
  effect: 'read',
  input: z.strictObject({ account_id: accountId }),
  output: envelopeSchema,
  action: ({ account_id }) => ({ kind: 'verify_account', account: account_id }),
  render: (outcome, { account: id }) =>
    respond(outcome, {
      done: ({ account: { host, port, secure }, capabilities, latencyMs }) => ({
        summary: `Account ${id} works`,
        data: {
          status: 'ok',
          issues: [],
          next_action: listMailboxes(id),
          account_id: id,
          ok: true,
          latency_ms: latencyMs,
          server: { host, port, secure },
          capabilities: capabilities.slice(0, MOST_CAPABILITIES),
        },
      }),
      failed: (issue, server) => ({
        summary: `Account ${id} does not work: ${issue.message}`,
        data: {
          status: 'failed',
          issues: [issue],
          next_action: {
            instruction: issue.retryable
              ? retryInstruction(issue, 'Verify the account again in a moment')
              : 'Ask the user to correct the settings of this account, then verify it again',
            tool: 'imap_verify_account',
            arguments: { account_id: id },
          },
          account_id: id,
          ok: false,
          latency_ms: outcome.timing.durationMs,
          server,
          capabilities: [],
        },
      }),
    }),
})
