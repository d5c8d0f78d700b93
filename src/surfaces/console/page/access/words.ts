/** Levels and permissions, in plain words. */
export const LEVELS = ['NONE', 'COUNT', 'METADATA', 'ENVELOPE', 'HEADERS', 'BODY', 'FULL'] as const

export const SEES: Readonly<Record<string, string>> = {
  NONE: 'nothing',
  COUNT: 'how much there is',
  METADATA: 'size and flags',
  ENVELOPE: 'sender, recipients, subject and date',
  HEADERS: 'all header fields',
  BODY: 'everything but attachments',
  FULL: 'everything, attachments too',
}

const MAY: Readonly<Record<string, string>> = {
  mark_seen: 'mark as read',
  mark_tagged: 'tag and flag',
  move_out: 'move mail out',
  accept_incoming: 'put mail in',
  draft_append: 'add drafts',
  delete: 'delete mail',
}

const SENDS: Readonly<Record<string, string>> = {
  always: 'may send; every letter waits for a person',
  flow: 'may send; letters wait for a person where they could carry what their recipients may not read',
  never: 'may send without asking anybody',
  forbidden: 'may not send',
}

export function mayWords(capabilities: readonly string[]): string {
  return capabilities.length === 0 ? 'look only' : capabilities.map((one) => MAY[one] ?? one).join(', ')
}

export function sendWords(approval: string): string {
  return SENDS[approval] ?? approval
}
