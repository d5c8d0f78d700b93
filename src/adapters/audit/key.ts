/**
 * The key that signs checkpoints, one for all processes of a data directory: `audit.key` (PKCS #8), and `audit.pub` for
 * whoever wants to keep a copy elsewhere.
 *
 * INVARIANT: a key appears under its name whole or not at all, and the first one to appear stays: of processes that
 * start at once, one makes it and the others read that one.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  randomUUID,
  sign,
  verify,
} from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { SIGNER_NAME } from '../../core/audit/checkpoint.ts'
import {
  ED25519,
  readVerifierKey,
  type Signature,
  type SignedNote,
  type VerifierKey,
  writeVerifierKey,
} from '../../core/audit/note.ts'
import type { Log } from '../../ports/log.ts'
import { codeOf, damagedSigningKey, wrongVerifierKey } from './failures.ts'

export const SIGNING_KEY = 'audit.key'
export const PUBLIC_KEY = 'audit.pub'

export interface Signer {
  readonly key: VerifierKey
  sign(text: string): Signature
}

export async function openSigner(directory: string, log: Log): Promise<Signer> {
  const privateKey = signingKeyIn(await readOrMake(join(directory, SIGNING_KEY), 0o600, newKey))
  if (privateKey === undefined) throw damagedSigningKey()
  const key = verifierKeyOf(privateKey)
  const told = await readOrMake(join(directory, PUBLIC_KEY), 0o644, () => `${writeVerifierKey(key)}\n`)
  if (told.trim() !== writeVerifierKey(key)) log.error({}, 'audit.pub is not the public key of audit.key')
  const { name, id: keyId } = key
  return { key, sign: (text) => ({ name, keyId, bytes: sign(null, Buffer.from(text), privateKey).toString('hex') }) }
}

/** What `audit.pub` must say; undefined where the text of `audit.key` is no key. */
export function publicKeyFor(pem: string): string | undefined {
  const key = signingKeyIn(pem)
  return key && writeVerifierKey(verifierKeyOf(key))
}

/** The words of the library are not for people: undefined for whatever is no Ed25519 key. */
function signingKeyIn(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyType === 'ed25519' ? key : undefined
  } catch {
    return undefined
  }
}

/** `trusted`: signed with this key. `forged`: it says so, and it is not true. */
export function judgeNote({ text, signatures }: SignedNote, key: VerifierKey): 'trusted' | 'forged' | 'unknown' {
  const ours = signatures.filter(({ name, keyId }) => name === key.name && keyId === key.id)
  if (ours.length === 0) return 'unknown'
  const publicKey = publicKeyOf(key)
  const good = ours.every(({ bytes }) => verify(null, Buffer.from(text), publicKey, Buffer.from(bytes, 'hex')))
  return good ? 'trusted' : 'forged'
}

/** Undefined where there is none. */
export async function readPublicKey(directory: string): Promise<VerifierKey | undefined> {
  try {
    return parseVerifierKey(await readFile(join(directory, PUBLIC_KEY), 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** As text, or as the path of a file that holds it. */
export async function givenKey(given: string): Promise<VerifierKey> {
  const isPath = readVerifierKey(given) === undefined
  const unreadable = (): never => {
    throw wrongVerifierKey()
  }
  return parseVerifierKey(isPath ? await readFile(given, 'utf8').catch(unreadable) : given)
}

function parseVerifierKey(text: string): VerifierKey {
  const key = readVerifierKey(text)
  if (key === undefined || key.id !== keyId(key.name, key.publicKey)) throw wrongVerifierKey()
  return key
}

function verifierKeyOf(privateKey: KeyObject): VerifierKey {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  const publicKey = Buffer.from(x, 'base64url').toString('hex')
  return { name: SIGNER_NAME, id: keyId(SIGNER_NAME, publicKey), publicKey }
}

function publicKeyOf({ publicKey }: VerifierKey): KeyObject {
  const x = Buffer.from(publicKey, 'hex').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

function keyId(name: string, publicKey: string): string {
  const named = Buffer.concat([Buffer.from(`${name}\n`), Buffer.from([ED25519]), Buffer.from(publicKey, 'hex')])
  return hash('sha256', named, 'hex').slice(0, 8)
}

function newKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

async function readOrMake(path: string, mode: number, make: () => string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomUUID()}`
  try {
    await writeNew(draft, mode, make())
    // Unlike a rename, a link never replaces what another process has put there in the meantime.
    await link(draft, path).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
  } finally {
    await unlink(draft).catch(() => undefined)
  }
  return readFile(path, 'utf8')
}

async function writeNew(path: string, mode: number, text: string): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
