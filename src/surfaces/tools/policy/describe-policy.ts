/** What the caller may do. Names no rule and no other caller. */
import { z } from 'zod'
import type { DescribedAccount } from '../../../core/policy-description.ts'
import type { Answer } from '../tool.ts'
import { answerSchema, orNull, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { TOOL_NAMES } from './tool-names.ts'

/** Semver: a new tool or argument is a minor version, a change that can break a caller a major one. */
const VERSION = '1.1.0'

export const describePolicy = definePolicyTool('meta', {
  name: 'describe_policy',
  title: 'Describe your policy',
  description: 'What you may see and do: accounts, folders, levels, capabilities.',
  effect: 'read',
  input: z.looseObject({}),
  output: answerSchema,
  action: () => ({ kind: 'describe_policy' }),
  render: (outcome) =>
    respond(outcome, {}, ({ result }) => ({
      caller_id: result.callerId,
      tool_set_version: VERSION,
      accounts: result.accounts.map(described),
      hidden_accounts_count: orNull(result.hiddenAccounts),
      tool_set_available: TOOL_NAMES,
    })),
})

/** Where a policy can never allow a tool, the caller may not have it. */
export function namingOnly(answer: Answer, offered: ReadonlySet<string>): Answer {
  if (answer.kind !== 'json' || !('tool_set_available' in answer.value)) return answer
  const available = TOOL_NAMES.filter((name) => offered.has(name))
  return { ...answer, value: { ...answer.value, tool_set_available: available } }
}

function described({ id, provider, tokenCache, folders, hiddenFolders }: DescribedAccount): Record<string, unknown> {
  const isGoogle = provider === 'google' || provider === 'gmail'
  return {
    id,
    semantics: isGoogle ? 'gmail-labels' : 'imap-standard',
    token_cache: tokenCache,
    folders_visible: folders.map((folder) => ({
      path: folder.path,
      mode: folder.mode,
      default_visibility: folder.default,
      max_visibility: folder.ceiling,
      capabilities: folder.capabilities,
      sender_rules_count: folder.rules,
    })),
    hidden_folders_count: orNull(hiddenFolders),
  }
}
