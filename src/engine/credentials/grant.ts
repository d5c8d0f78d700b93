/**
 * Whether the access that a person granted still stands.
 *
 * INVARIANT: judged from what is durable, so every process and every restart comes to the same end. A refusal speaks of
 * one refresh token: another one in its place, from whomever, is given its chance.
 */
import type { GrantNote, GrantNotes, Refusal } from '../../ports/grant-notes.ts'
import type { SecretStore } from '../../ports/secrets.ts'
import { isNotFound, type WhyAnew } from './failures.ts'
import { fingerprint } from './fingerprint.ts'
import { normalScope, scopeMayWrite } from './scopes.ts'

export interface GrantParts {
  readonly account: string
  readonly secretRef: string
  /** As configured, or the provider's own; empty where the provider chooses. */
  readonly scope: string
  readonly secrets: SecretStore
  readonly notes: GrantNotes
}

export type Judgement =
  | { readonly kind: 'stands'; readonly mayWrite: boolean; readonly note: GrantNote | undefined }
  | { readonly kind: 'anew'; readonly mayWrite: boolean; readonly why: WhyAnew }

export async function judge(parts: GrantParts): Promise<Judgement> {
  const note = await parts.notes.read(parts.account)
  const anew = (why: WhyAnew): Judgement => ({ kind: 'anew', why, mayWrite: mayWrite(parts, note) })
  const stands = (known: GrantNote | undefined): Judgement => ({
    kind: 'stands',
    mayWrite: mayWrite(parts, known),
    note: known,
  })
  const sameScope = note?.scope === normalScope(parts.scope)
  // The usual case needs no look at the secret.
  if (note !== undefined && note.refused === undefined && sameScope) return stands(note)
  const token = await currentFingerprint(parts)
  if (token === undefined) return anew('not_granted')
  if (note === undefined) return stands(undefined)
  if (note.refused !== undefined && refuses(note.refused, token)) return anew(note.refused.reason)
  if (sameScope) return stands(undefined)
  // Only a person can change what lies in a store that we cannot write.
  if (!parts.secrets.writable && note.token !== token) return stands(undefined)
  return anew('scope_changed')
}

/** After a refresh: what is worth remembering, written only where it is news. */
export async function noteGrant(parts: GrantParts, before: GrantNote | undefined, after: Granted): Promise<void> {
  const granted = after.scope === undefined ? before?.granted : normalScope(after.scope)
  const token = parts.secrets.writable ? undefined : await currentFingerprint(parts)
  const note: GrantNote = {
    scope: normalScope(parts.scope),
    ...(granted === undefined ? {} : { granted }),
    ...(token === undefined ? {} : { token }),
  }
  if (!same(note, before)) await parts.notes.write(parts.account, note)
}

/**
 * Before the configured scope changes: the one that the present token was granted for, where no refresh has noted it yet.
 * Without it an account that was never used would count as granted for whatever scope is configured next.
 */
export async function noteScopeInUse(parts: GrantParts): Promise<void> {
  await parts.notes.alone(parts.account, async () => {
    if ((await parts.notes.read(parts.account)) !== undefined) return
    if ((await currentFingerprint(parts)) !== undefined) await noteGrant(parts, undefined, { scope: undefined })
  })
}

export interface Granted {
  readonly scope: string | undefined
}

export async function noteRefusal(parts: GrantParts, reason: Refusal['reason'], token: string): Promise<void> {
  const before = await parts.notes.read(parts.account)
  const note = { ...(before ?? { scope: normalScope(parts.scope) }), refused: { reason, token } }
  await parts.notes.write(parts.account, note)
}

function refuses({ token }: Refusal, current: string): boolean {
  return token === undefined || token === current
}

async function currentFingerprint({ secrets, secretRef }: GrantParts): Promise<string | undefined> {
  try {
    return await fingerprint(await secrets.read(secretRef))
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function mayWrite({ scope }: GrantParts, note: GrantNote | undefined): boolean {
  return scopeMayWrite(scope) && (note?.granted === undefined || scopeMayWrite(note.granted))
}

function same(a: GrantNote, b: GrantNote | undefined): boolean {
  return b !== undefined && a.scope === b.scope && a.granted === b.granted && a.token === b.token && !b.refused
}
