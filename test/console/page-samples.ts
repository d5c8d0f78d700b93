/** What the other pages show in the console's tests. */
import type { ChainedRecord } from '../../src/core/audit/chain.ts'
import type { CallerAccess } from '../../src/engine/console/access.ts'
import type { AccountState } from '../../src/engine/console/account-states.ts'
import type { DiffAnswer } from '../../src/engine/console/desk.ts'
import type { Simulation } from '../../src/engine/console/simulate.ts'
import type { TransferState } from '../../src/engine/console/transfer-states.ts'

export type SampleRecord = ChainedRecord & { readonly id: string }

export function sampleRecord(seq: number, more: Partial<SampleRecord> = {}): SampleRecord {
  const ts = new Date(Date.now() - (400 - seq) * 7000).toISOString()
  return {
    id: `${ts.slice(0, 10)}:${seq}`,
    seq,
    prev_hash: 'c'.repeat(64),
    ts,
    caller_id: 'assistant',
    caller_addr: 'stdio',
    tool: 'search_emails',
    args_summary: { account: 'work', folder: 'INBOX' },
    decision: 'ALLOW',
    reason: 'rule_matched',
    visibility_granted: 'BODY',
    redacted_fields: [],
    tx_id: null,
    result: 'OK',
    error_type: null,
    latency_ms: 34,
    ...more,
  }
}

/** Newest first. */
export function sampleRecords(count: number): SampleRecord[] {
  const kinds: readonly Partial<SampleRecord>[] = [
    {},
    { tool: 'read_email', args_summary: { account: 'work', folder: 'INBOX', uid: 5123 }, latency_ms: 12 },
    {
      tool: 'read_email',
      args_summary: { account: 'work', folder: 'Personal', uid: 77 },
      decision: 'DENY',
      result: 'DENIED',
      reason: 'folder_hidden',
      visibility_granted: null,
      latency_ms: 1,
    },
    {
      tool: 'send_email',
      args_summary: { account: 'work', to: ['r***@riverside.example'], outbox_id: '000001-0123456789ab' },
      result: 'INTENT',
      reason: 'folder_default_applied',
      visibility_granted: null,
    },
    {
      tool: 'send_email',
      args_summary: { account: 'work', to: ['r***@riverside.example'], outbox_id: '000001-0123456789ab' },
      decision: 'DENY',
      result: 'DENIED',
      reason: 'approval_missing',
      visibility_granted: null,
    },
    {
      caller_id: 'ada',
      caller_addr: '127.0.0.1',
      tool: 'outbox_approve',
      reason: 'console',
      visibility_granted: null,
      latency_ms: 0,
    },
    {
      caller_id: 'clerk',
      reason: 'visibility_below_BODY',
      decision: 'DENY',
      result: 'DENIED',
      visibility_granted: null,
    },
    { tool: 'move_message', result: 'ERROR', error_type: 'timeout', latency_ms: 30_000 },
  ]
  return Array.from({ length: count }, (_, at) => {
    const seq = count - at
    return sampleRecord(seq, kinds[seq % kinds.length])
  })
}

export const CALLERS: readonly CallerAccess[] = [
  {
    id: 'assistant',
    policy: 'assistant',
    toolsets: ['inbox', 'outbox'],
    send: { approval: 'always', trusted: [] },
    words: ['It sees everything in INBOX from customers.', 'Every letter waits for a person.'],
    accounts: [
      {
        id: 'work',
        folders: [
          {
            path: 'INBOX',
            mode: 'whitelist',
            default: 'ENVELOPE',
            ceiling: 'FULL',
            capabilities: ['mark_seen', 'move_out'],
            rules: ["mail whose sender's domain is riverside.example: everything", 'mail newer than 30 days: the body'],
          },
          {
            path: 'Drafts',
            mode: 'blacklist',
            default: 'FULL',
            ceiling: 'FULL',
            capabilities: ['draft_append'],
            rules: [],
          },
          {
            path: 'Projects/**',
            mode: 'whitelist',
            default: 'NONE',
            ceiling: 'BODY',
            capabilities: [],
            rules: ['one'],
          },
        ],
      },
      {
        id: 'home',
        folders: [
          { path: 'INBOX', mode: 'whitelist', default: 'COUNT', ceiling: 'COUNT', capabilities: [], rules: [] },
        ],
      },
    ],
  },
  {
    id: 'clerk',
    policy: 'look-only',
    toolsets: ['inbox'],
    send: { approval: 'forbidden', trusted: [] },
    words: [],
    accounts: [],
  },
]

export const SIMULATION: Simulation = {
  level: 'BODY',
  reason: 'rule_matched',
  path: 'INBOX',
  mode: 'whitelist',
  default: 'ENVELOPE',
  subject: 'Offer for the new windows',
  from: 'Rosa Lind <rosa@riverside.example>',
  steps: [
    { words: "mail whose sender's domain is riverside.example", matched: true, level: 'BODY' },
    { words: 'mail newer than 30 days', matched: false, level: 'FULL' },
  ],
}

export const DIFFERENCE: DiffAnswer = {
  problems: [],
  policy: 'assistant',
  looked: { folders: 3, messages: 412 },
  unreached: [{ account: 'home', message: 'the server does not answer' }],
  settings: [
    {
      ...{ caller: 'assistant', setting: 'Sending', effect: 'more' },
      ...{ before: 'every message needs approval', after: 'messages are sent without approval' },
      danger: 'Messages would be sent without anyone approving them: one email that misleads the agent can do it.',
    },
    {
      ...{ caller: 'assistant', account: 'work', mailbox: 'Projects/**', setting: 'Changes allowed', effect: 'less' },
      ...{ before: 'mark as read, tag and flag, move mail out, put mail in', after: 'mark as read' },
    },
  ],
  changes: [
    {
      caller: 'assistant',
      account: 'work',
      mailbox: 'INBOX',
      before: { BODY: 120, ENVELOPE: 80 },
      after: { BODY: 12, ENVELOPE: 180, NONE: 8 },
      examples: [{ uid: 5123, before: 'BODY', after: 'NONE', subject: 'Offer', from: 'rosa@riverside.example' }],
    },
  ],
}

export function sampleAccounts(): AccountState[] {
  return [
    {
      id: 'work',
      address: 'ada@orchard.example',
      provider: 'imap-standard',
      state: 'connected',
      host: 'imap.orchard.example',
      connections: { open: 3, busy: 1, watching: 1 },
      mirror: {
        depth: 'full',
        folders: 14,
        messages: 48_210,
        indexed: 21_004,
        sync: { mailbox: 'Archive/2025', done: 31_200, total: 48_210, rate: 940 },
      },
      canSend: true,
    },
    {
      id: 'home',
      address: 'ada@home.example',
      provider: 'google',
      state: 'needs_consent',
      host: 'imap.gmail.com',
      canSend: false,
    },
    {
      id: 'archive',
      provider: 'local',
      state: 'no_server',
      host: 'local',
      canSend: false,
    },
  ]
}

export function sampleTransfers(): TransferState[] {
  const base = { caller: 'assistant', created: new Date(Date.now() - 3_600_000).toISOString() } as const
  return [
    {
      ...base,
      id: 'tx-0002',
      operation: 'move',
      status: 'needs_operator',
      source: { account: 'work', mailbox: 'INBOX', uid: 5120 },
      destination: { account: 'archive', mailbox: 'Invoices/2026' },
      retries: 7,
      error: 'target_unavailable',
    },
    {
      ...base,
      id: 'tx-0001',
      operation: 'copy',
      status: 'staged',
      source: { account: 'home', mailbox: 'INBOX', uid: 12 },
      destination: { account: 'work', mailbox: 'Projects/Roof' },
      retries: 0,
    },
  ]
}
