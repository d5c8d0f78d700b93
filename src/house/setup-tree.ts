/** A loaded tree as setting up sees it. */
import type { Tree, TreeAccount, TreeSmtp } from '../config/tree/tree.ts'
import type { CurrentTree, SetUpAccount } from '../surfaces/cli/setup/desk.ts'

const KINDS = ['imap-standard', 'google', 'microsoft'] as const

export function currentTree(tree: Tree): CurrentTree {
  return {
    accounts: tree.accounts.map(accountOf),
    callers: tree.callers.map(({ id, policy }) => {
      const definition = tree.policies.get(policy)
      const sends = definition !== undefined && definition.send?.approval !== 'forbidden'
      return { id, policy, sends, accounts: [...(definition?.accounts.keys() ?? [])] }
    }),
    policies: [...tree.policies.keys()],
    secretsIn: SECRETS_IN[tree.secretStore.backend],
  }
}

const SECRETS_IN: Readonly<Record<Tree['secretStore']['backend'], string>> = {
  keychain: 'the keychain of this machine',
  file_dir: 'a file that only you can read, where the others are',
  gpg_file: 'an encrypted file, where the others are',
  env_var: 'the environment',
}

export function accountOf({
  id,
  identity,
  provider,
  mock,
  user,
  host,
  port,
  tls,
  smtp,
  ca,
  auth,
  mirror,
}: TreeAccount): SetUpAccount {
  const kind = mock ? undefined : KINDS.find((known) => known === provider)
  return {
    id,
    address: identity,
    kind: kind ?? 'other',
    user,
    imap: { host, port, tls },
    ...(smtp !== undefined && { smtp: wayOut(smtp) }),
    ...(ca !== undefined && { ca }),
    auth: auth?.type ?? 'password',
    secretRef: auth?.secretRef ?? '',
    mirror,
    canSend: (provider === 'gmail' || smtp !== undefined) && identity !== undefined,
  }
}

function wayOut({ host, port, tls, user, secretRef }: TreeSmtp): NonNullable<SetUpAccount['smtp']> {
  return { host, port, tls, user, ...(secretRef !== undefined && { secretRef }) }
}
