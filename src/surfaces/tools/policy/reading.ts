/** The action behind every tool that reads one message, no deeper than that tool shows. */
import type { ReadMessageAction } from '../../../core/action.ts'
import { describeWarning } from '../../../core/content.ts'
import type { MessageRef } from '../../../core/message-id.ts'
import type { HeaderField } from '../../../core/mime/header.ts'
import type { Level } from '../../../core/policy/level.ts'
import type { MessageView } from '../../../core/results.ts'

const BODY_CHARS = 50_000

export function reading(message: MessageRef, needs: Level, depth: Level = needs): ReadMessageAction {
  const html = depth === 'FULL'
  return { kind: 'read_message', message, needs, depth, bodyChars: BODY_CHARS, html, attachmentChars: undefined }
}

/** Name to value; a field that stands there more than once has an array of its values. */
export function headersOf(fields: readonly HeaderField[]): Record<string, string | string[]> {
  const byName = Map.groupBy(fields, ({ name }) => name.toLowerCase())
  return Object.fromEntries(
    [...byName.values()].map((same) => {
      const values = same.map(({ value }) => value)
      return [same[0]?.name ?? '', values.length > 1 ? values : (values[0] ?? '')]
    }),
  )
}

export function warningsOf({ warnings }: MessageView): string[] {
  return warnings.map(describeWarning)
}
