/** Marks one message as read or unread, or changes its tags. */

import { tagChange } from './tag-change.ts'
import { changeFlags } from './update-flags.ts'
import type { Perform } from './workshop.ts'

const SEEN = ['\\Seen']

export const markSeen: Perform<'mark_seen'> = ({ message, seen }, workshop) =>
  changeFlags(message, seen ? { add: SEEN, remove: [] } : { add: [], remove: SEEN }, workshop)

export const tagMessage: Perform<'tag_message'> = async (action, workshop) => {
  const { flags } = await workshop.opened(action.message)
  return changeFlags(action.message, tagChange(action, flags), workshop)
}
