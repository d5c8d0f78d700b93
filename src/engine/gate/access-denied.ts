/** Refuses what an account cannot do for anybody: its provider has no such thing, or its access does not reach so far. */
import type { Action } from '../../core/action.ts'
import type { Denial } from '../../core/decision/decide.ts'
import { changesMail, type Needs } from '../../core/decision/needs.ts'
import type { AccountBook } from '../accounts/accounts.ts'

export async function accessDenied(action: Action, needs: Needs, book: AccountBook): Promise<Denial | undefined> {
  const ids = new Set([
    ...(needs.account === undefined ? [] : [needs.account]),
    ...needs.places.map((place) => place.account),
  ])
  for (const id of ids) {
    const account = book.get(id)
    if (action.kind === 'list_labels' && account.google === undefined) return denial('tool_not_applicable_for_provider')
    if (needs.sends === true && account.sender === undefined) {
      const how = `give it smtp: in accounts.yaml, or set MAIL_IMAP_${id.toUpperCase()}_SMTP_HOST`
      return { ...denial('account_cannot_send'), remedy: how }
    }
    if (!needs.online || account.standing === undefined) continue
    const { state, mayWrite } = await account.standing()
    if (state === 'needs_rebootstrap') {
      return { ...denial('needs_rebootstrap'), remedy: `run "postern oauth --account ${id}" to grant access anew` }
    }
    if (!mayWrite && changesMail(action)) return { ...denial('oauth_scope_insufficient'), remedy: wider(id) }
  }
  return undefined
}

function wider(id: string): string {
  return `its access was granted for reading only; write a wider oauth_scope, then run "postern oauth --account ${id}"`
}

function denial(reason: Denial['reason']): Denial {
  return { kind: 'deny', reason }
}
