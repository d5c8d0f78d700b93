/** The names under which this set says what it does not show. */
import { fieldsAbove } from '../../../core/decision/redact.ts'
import { atLeast, LEVELS, type Level } from '../../../core/policy/level.ts'

const NAMES: Readonly<Record<string, string>> = {
  size: 'size_bytes',
  messageId: 'message_id',
  header: 'headers',
  text: 'body',
  html: 'body',
  hasAttachment: 'has_attachment',
}

/** Of these fields the ones that are not shown, and the level that the first of them needs. */
export function redaction(level: Level, fields: readonly string[]): Record<string, unknown> {
  const redacted = redactedNames(level, fields)
  const needed = LEVELS.find((at) => atLeast(at, level) && redactedNames(at, fields).length < redacted.length)
  return {
    redacted_fields: redacted,
    redaction_reason: redacted.length === 0 ? null : `visibility_below_${needed}`,
  }
}

/** Of these fields, the ones above the level. */
export function redactedNames(level: Level, fields: readonly string[]): string[] {
  const above = fieldsAbove(level).filter((field) => fields.includes(field))
  return [...new Set(above.map((field) => NAMES[field] ?? field))]
}
