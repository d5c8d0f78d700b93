/** Leaves out the tools that a policy can never allow, for callers that want none of those in their listing. */
import { atLeast } from '../../core/policy/level.ts'
import type { Policy } from '../../core/policy/policy.ts'
import type { AnyTool, ToolSet } from './tool.ts'

export function usefulTools(sets: readonly ToolSet[], policy: Policy, accounts: readonly string[]): readonly ToolSet[] {
  const folders = accounts.filter((id) => policy.sees(id)).flatMap((id) => policy.folders(id))
  const isUseful = ({ requires = {} }: AnyTool): boolean => {
    const { visibility, capabilities = [], sends = false } = requires
    if (sends && !policy.send.allowed) return false
    const visible = visibility === undefined || folders.some(({ ceiling }) => atLeast(ceiling, visibility))
    return visible && capabilities.every((needed) => folders.some((folder) => folder.capabilities.has(needed)))
  }
  return sets.map((set) => ({ ...set, tools: set.tools.filter(isUseful) }))
}
