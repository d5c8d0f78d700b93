/** Writes Maildir files the way a delivery agent does: the quick way to fill a large mailbox. */
import { chown, mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Delivery {
  readonly raw: string | Uint8Array
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received?: number
  readonly seen?: boolean
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

export async function deliver(
  root: string,
  mailbox: string,
  messages: readonly Delivery[],
  owner: Owner,
): Promise<void> {
  const folder = mailbox === 'INBOX' ? root : join(root, mailbox)
  for (const path of [root, folder, ...['cur', 'new', 'tmp'].map((name) => join(folder, name))]) {
    await mkdir(path, { recursive: true })
    await chown(path, owner.uid, owner.gid)
  }
  for (let start = 0; start < messages.length; start += 200) {
    const batch = messages.slice(start, start + 200)
    await Promise.all(batch.map((message, index) => store(folder, message, start + index, owner)))
  }
}

async function store(folder: string, { raw, received, seen }: Delivery, index: number, owner: Owner): Promise<void> {
  // Dovecot gives uids in the order of the names.
  const order = String(index).padStart(8, '0')
  const path = join(folder, 'cur', `1700000000.M${order}P1.test:2,${seen === true ? 'S' : ''}`)
  await writeFile(path, raw)
  if (received !== undefined) await utimes(path, received, received)
  await chown(path, owner.uid, owner.gid)
}
