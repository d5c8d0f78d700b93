/** Changes the tags of a message. */
import { z } from 'zod'
import { forbiddenFlag, systemFlagNamed } from '../../../core/decision/flags.ts'
import { Failure } from '../../../core/failure.ts'
import { answerSchema } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { someFields } from './fields.ts'
import { markAnswer, marking } from './marks.ts'

const MOST_TAGS = 50
/** An IMAP keyword: printable ASCII without what has a meaning of its own. */
const KEYWORD = /^[!#$&'+,\-./0-9:;<=>?@A-Z[^_`a-z|}~]{1,100}$/

export const markTagged = definePolicyTool('write', {
  name: 'mark_tagged',
  title: 'Tag a message',
  description:
    'Add, remove or replace the keywords of one message, or of up to 500 of a folder. \\Flagged is the only system flag allowed, with or without the backslash.',
  effect: 'change',
  requires: { capabilities: ['mark_tagged'] },
  input: z.strictObject({
    ...someFields,
    tags: z.array(z.string().min(1).max(256)).max(MOST_TAGS),
    mode: z.enum(['add', 'remove', 'replace']),
  }),
  output: answerSchema,
  action: (asked) => marking(asked, { kind: 'tag_message', tags: tagsOf(asked), mode: asked.mode }),
  render: (outcome, _action, asked) => markAnswer(outcome, asked, { tags: asked.tags, mode: asked.mode }),
})

/** Whether a tag is a system flag is for the policy to say; anything else must be a keyword. */
function tagsOf({ tags, mode }: { readonly tags: readonly string[]; readonly mode: string }): readonly string[] {
  const bad = tags.find((tag) => !tag.includes('\\') && !KEYWORD.test(tag))
  if (bad !== undefined) {
    throw new Failure('invalid_input', 'a tag is an IMAP keyword: letters, digits and -._$ without spaces')
  }
  if (tags.length === 0 && mode !== 'replace') throw new Failure('invalid_input', 'tags must not be empty')
  return tags.map((tag) => (forbiddenFlag(tag) ? tag : (systemFlagNamed(tag) ?? tag)))
}
