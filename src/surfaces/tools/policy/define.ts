/** A tool of the `policy` set: its listing says what a policy must allow for it. */
import type { z } from 'zod'
import type { ActionKind } from '../../../core/action.ts'
import { type AnyTool, defineTool, type Tool } from '../tool.ts'

export type Category = 'read' | 'write' | 'meta'

export function definePolicyTool<I extends z.ZodType, K extends ActionKind>(
  category: Category,
  tool: Omit<Tool<I, K>, 'marks'>,
): AnyTool {
  const { visibility, capabilities = [] } = tool.requires ?? {}
  const mark = {
    category,
    ...(visibility !== undefined && { minimum_visibility: visibility }),
    ...(capabilities.length > 0 && { required_capability: capabilities.join('+') }),
  }
  return defineTool({ ...tool, marks: { 'x-mcp-imap': mark } })
}
