/** accounts.yaml with one account more, less or otherwise. */
import { isMap, type YAMLMap } from 'yaml'
import type { AccountSettings, SecretPlace } from '../../core/setup/tree-change.ts'
import { commentAbove, documentOf, itemNamed, listIn, mapIn, setValue, textOf, type Yaml } from './document.ts'

const FILE = 'accounts.yaml'

const STORES: Readonly<Record<SecretPlace, string>> = {
  keychain:
    '# Passwords and tokens are in the keychain of this machine, as service "postern".\nsecret_store: { backend: keychain }\n',
  file: '# Passwords and tokens are files in this directory, readable by you alone.\nsecret_store: { backend: file_dir, path: secrets }\n',
}

const head = (program: string): string =>
  `# The mail accounts that Postern can reach. Written by "${program} setup", and yours to change: run
# "${program} check" afterwards, and "${program} reload" for servers that are running. No password stands here,
# only where each is kept.
`

export function withAccount(
  text: string | undefined,
  account: AccountSettings,
  secrets: SecretPlace,
  program: string,
): string {
  const before = text ?? `${head(program)}\naccounts: []\n\n${STORES[secrets]}`
  const document = documentOf(before, FILE)
  const root = mapIn(document, FILE)
  const list = listIn(root, 'accounts', FILE)
  const there = itemNamed(list, account.id)
  if (there !== undefined) change(document, there, account)
  else {
    if (list.items.length === 0) list.flow = false
    list.add(freshAccount(document, account, list.flow === true, program))
  }
  if (!root.has('secret_store')) {
    const store = document.createNode(
      secrets === 'keychain' ? { backend: 'keychain' } : { backend: 'file_dir', path: 'secrets' },
    )
    if (isMap(store)) store.flow = true
    root.set('secret_store', store)
  }
  return textOf(document, before)
}

/** Undefined where none is left: a tree without accounts is none. */
export function withoutAccount(text: string, id: string): string | undefined {
  const document = documentOf(text, FILE)
  const list = listIn(mapIn(document, FILE), 'accounts', FILE)
  const there = itemNamed(list, id)
  if (there !== undefined) list.items.splice(list.items.indexOf(there), 1)
  return list.items.length === 0 ? undefined : textOf(document, text)
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(account: AccountSettings): Fields {
  const { kind, imap, smtp, smtpUser, smtpSecretRef, caFile, auth, secretRef } = account
  return {
    provider: kind,
    ...(imap !== undefined && { host: imap.host, port: imap.port, tls: imap.tls }),
    user: account.user,
    identity: account.address,
    ...(caFile !== undefined && { ca_file: caFile }),
    auth: { type: auth, secret_ref: secretRef },
    ...(smtp !== undefined && {
      smtp: {
        host: smtp.host,
        port: smtp.port,
        tls: smtp.tls,
        ...(smtpUser !== undefined && { user: smtpUser }),
        ...(smtpSecretRef !== undefined && { secret_ref: smtpSecretRef }),
      },
    }),
    mirror: account.mirror,
  }
}

function change(document: Yaml, there: YAMLMap, account: AccountSettings): void {
  const before: unknown = there.toJS(document)
  for (const [key, value] of Object.entries(fieldsOf(account))) {
    const kept = isFields(before) ? before[key] : undefined
    // What a person wrote beside the same way to log in, or the same server, stays.
    setValue(document, there, key, isSame(kept, value) ? { ...kept, ...(value as Fields) } : value)
  }
  if (account.smtp === undefined) there.delete('smtp')
  if (account.imap === undefined) for (const key of ['host', 'port', 'tls']) there.delete(key)
}

function isSame(kept: unknown, next: unknown): kept is Fields {
  return isFields(kept) && isFields(next) && kept['type'] === next['type'] && kept['host'] === next['host']
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

const mirrorWords = (program: string): string =>
  ` off: the server is asked every time. headers or full: what it holds is kept on this machine, for fast
 searches; "${program} forget" removes it.`

function freshAccount(document: Yaml, account: AccountSettings, plain: boolean, program: string): unknown {
  const map = document.createNode({ id: account.id, ...fieldsOf(account) })
  if (!isMap(map) || plain) return map
  const smtp = map.get('smtp')
  if (isMap(smtp)) smtp.flow = true
  if (smtp !== undefined) commentAbove(map, 'smtp', ' Where letters leave; without it nothing can be sent.')
  commentAbove(map, 'mirror', mirrorWords(program))
  return map
}
