/** Adds and removes labels of one email. */
import { z } from 'zod'
import { Failure } from '../../../core/failure.ts'
import type { LabelsChange } from '../../../core/results.ts'
import { line } from '../line.ts'
import { defineTool } from '../tool.ts'
import { dropUndefined, type Report, respond } from './answer.ts'
import { emailId, messageFrom, withAccount } from './fields.ts'
import { lines, named } from './texts.ts'

const labels = z.array(line(256)).max(20).default([])

export const manageLabels = defineTool({
  name: 'manage_labels',
  title: 'Change labels',
  description:
    'Add or remove labels of an email: STARRED, UNREAD, IMPORTANT, labels of a Google account, else keywords.',
  effect: 'change',
  ...withAccount({ email_id: emailId, add_labels: labels, remove_labels: labels }),
  output: z.looseObject({ id: z.string(), added: z.array(z.string()), removed: z.array(z.string()) }),
  action: ({ account, email_id, add_labels: add, remove_labels: remove }) => {
    if (add.length + remove.length === 0) {
      throw new Failure('invalid_input', 'at least one of add_labels and remove_labels is required')
    }
    const removed = new Set(remove.map(sameLabel))
    if (add.some((label) => removed.has(sameLabel(label)))) {
      throw new Failure('invalid_input', 'add_labels and remove_labels name the same label; write it in one of them')
    }
    return { kind: 'change_labels', message: messageFrom(email_id, 'email_id'), within: account, add, remove }
  },
  render: (outcome, _action, { email_id }) =>
    respond(outcome, { about: 'email', done: (change) => report(email_id, change) }),
})

const ALSO_A_FOLDER =
  'also the name of a folder; the label is a keyword and the email was not moved. Ask the user to move it in their mail program'

function sameLabel(label: string): string {
  return label.trim().toLowerCase()
}

function report(id: string, { added, removed, labels: now, folders, issues }: LabelsChange): Report {
  const hint = folders.length === 0 ? undefined : `${folders.join(', ')}: ${ALSO_A_FOLDER}`
  return {
    text: lines(
      `Labels updated for email ${id}:`,
      added.length === 0 ? undefined : named('Added', added.join(', ')),
      removed.length === 0 ? undefined : named('Removed', removed.join(', ')),
      named('Note', hint),
      ...issues.map(({ message }) => `Not all was done: ${message}`),
    ),
    value: dropUndefined({ id, added, removed, labels: now, hint, issues: issues.length > 0 ? issues : undefined }),
  }
}
