/** The labels of a Google account that the policy names. */
import { pathOf } from '../../core/mailbox-path.ts'
import { mailboxesOf } from './list-mailboxes.ts'
import type { Perform } from './workshop.ts'

export const listLabels: Perform<'list_labels'> = async ({ account }, workshop) => {
  const { named, others } = await mailboxesOf(account, workshop)
  return {
    labels: named.map(({ name, delimiter, attributes }) => ({
      name: pathOf(name, delimiter),
      flags: attributes,
      separator: delimiter ?? '/',
    })),
    hidden: workshop.sight.conceals ? undefined : others,
  }
}
