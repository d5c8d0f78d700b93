/** The names under which this set says what it does not show. */
import { fieldsAbove } from '../../../core/decision/redact.ts'
import type { Level } from '../../../core/policy/level.ts'

const NAMES: Readonly<Record<string, string>> = {
  size: 'size_bytes',
  messageId: 'message_id',
  header: 'headers',
  text: 'body',
  html: 'body',
  hasAttachment: 'has_attachment',
}

/** Of these fields, the ones above the level. */
export function redactedNames(level: Level, fields: readonly string[]): string[] {
  const above = fieldsAbove(level).filter((field) => fields.includes(field))
  return [...new Set(above.map((field) => NAMES[field] ?? field))]
}
