/** The secrets of a configuration, and the access that people granted: whether they are there, never what they are. */
import { dirname, join } from 'node:path'
import { readOAuthClient } from '../config/oauth.ts'
import type { Tree } from '../config/tree/tree.ts'
import { Failure } from '../core/failure.ts'
import { quoted } from '../engine/doctor/checks/configuration.ts'
import type { Grant, GrantState, SecretLook } from '../engine/doctor/world.ts'
import type { SecretStore } from '../ports/secrets.ts'
import type { DoctorParts } from './doctor.ts'
import type { Found } from './doctor-configuration.ts'
import { secretsOf, shortToken } from './tree-secrets.ts'

interface Keeper {
  readonly whose: string
  readonly ref: string
  /** The caller whose token it is. */
  readonly tokenOf?: string
}

/** Those of the environment were looked at when it was read. */
export async function secretsIn({ tree }: Found, parts: DoctorParts): Promise<readonly SecretLook[]> {
  if (tree === undefined) return []
  const store = secretsOf(tree, parts)
  const told = new Set<string>()
  const looks: SecretLook[] = []
  // One after the other: a keychain asks its person once.
  for (const keeper of keepersOf(tree)) {
    const look = await lookAt(keeper, store, tree)
    const warnings = look.warnings.filter((warning) => !told.has(warning))
    for (const warning of warnings) told.add(warning)
    looks.push({ ...look, warnings })
  }
  return looks
}

/** Refresh tokens are looked at as grants. */
function keepersOf({ accounts, callers }: Tree): readonly Keeper[] {
  return [
    ...accounts.flatMap(({ id, auth, smtp }): Keeper[] => [
      ...(auth?.type === 'password' ? [{ whose: `account ${id}`, ref: auth.secretRef }] : []),
      ...(smtp?.secretRef === undefined ? [] : [{ whose: `account ${id} (sending)`, ref: smtp.secretRef }]),
    ]),
    ...callers.flatMap(({ id, auth }): Keeper[] =>
      auth.type === 'shared_token' ? [{ whose: `caller ${id}`, ref: auth.secretRef, tokenOf: id }] : [],
    ),
  ]
}

async function lookAt({ whose, ref, tokenOf }: Keeper, store: SecretStore, { secretStore }: Tree): Promise<SecretLook> {
  const warnings = await store.warnings([ref]).catch(() => [])
  try {
    const secret = await store.read(ref)
    return { whose, warnings: [...warnings, ...(tokenOf === undefined ? [] : shortToken(tokenOf, secret))] }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const problem = error.message.includes(ref) ? error.message : `${ref}: ${error.message}`
    const cure = error.code === 'not_found' && secretStore.backend === 'file_dir' ? putInto(ref, secretStore.path) : {}
    return { whose, problem, warnings, ...cure }
  }
}

function putInto(ref: string, store: string): { readonly cure: string } {
  const file = join(store, ref.replace(/^secret:\/\//, ''))
  const byHand = `(umask 077; mkdir -p ${quoted(dirname(file))}; cat > ${quoted(file)})`
  return { cure: `run "postern setup", or: ${byHand}, type it, and press Ctrl-D` }
}

export function grantsOf(found: Found, parts: DoctorParts): readonly Grant[] {
  const { tree, accounts } = found
  if (tree === undefined) return []
  return tree.accounts
    .filter(({ auth }) => auth?.type === 'xoauth2')
    .map((written) => ({
      account: written.id,
      async state(): Promise<GrantState> {
        try {
          readOAuthClient(parts.env, written)
          await secretsOf(tree, parts).read(written.auth?.secretRef ?? '')
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          return error.code === 'not_found' ? { kind: 'missing' } : { kind: 'impossible', why: error.message }
        }
        const account = accounts.find(({ id }) => id === written.id)
        const standing = await account?.standing?.()
        return standing?.state === 'needs_rebootstrap' ? { kind: 'refused' } : { kind: 'stands' }
      },
    }))
}
