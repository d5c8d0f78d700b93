/** What becomes of the secrets of an account that is removed. */
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tree, TreeAccount } from '../config/tree/tree.ts'

/** Removes those that nobody else uses, where that can be done; says what is left to do where it cannot. */
export async function forgetSecret(tree: Tree, account: TreeAccount): Promise<readonly string[]> {
  const used = new Set(tree.accounts.filter(({ id }) => id !== account.id).flatMap(refsOf))
  const refs = refsOf(account).filter((ref) => !used.has(ref))
  const { secretStore } = tree
  const hints = await Promise.all(
    refs.map(async (ref) => {
      const path = ref.replace('secret://', '')
      if (secretStore.backend === 'keychain')
        return `Its secret is still in the keychain: service postern, account ${path}.`
      if (secretStore.backend !== 'file_dir') return `Its secret ${ref} is still where it was.`
      await unlink(join(secretStore.path, ...path.split('/'))).catch(() => undefined)
      return undefined
    }),
  )
  return hints.filter((hint) => hint !== undefined)
}

function refsOf({ auth, smtp }: TreeAccount): readonly string[] {
  return [auth?.secretRef, smtp?.secretRef].filter((ref) => ref !== undefined)
}
