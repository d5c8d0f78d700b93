/**
 * What folders are for, also where a server does not say.
 *
 * INVARIANT: what a server says counts; a name is asked only where no folder of the account is said to be for that.
 */
import { pathOf } from './mailbox-path.ts'
import { ROLE_NAMES } from './mailbox-role-names.ts'
import type { Mailbox } from './message.ts'

export function withRoles(mailboxes: readonly Mailbox[]): readonly Mailbox[] {
  const said = new Set(mailboxes.map(({ role }) => role))
  const guessed = new Map(
    Object.entries(ROLE_NAMES)
      .filter(([role]) => !said.has(role))
      .flatMap(([role, names]) => {
        const found = firstNamed(mailboxes, names)
        return found === undefined ? [] : [[found, role] as const]
      }),
  )
  return mailboxes.map((mailbox) => {
    const role = mailbox.role ?? guessed.get(mailbox)
    return role === mailbox.role ? mailbox : { ...mailbox, role }
  })
}

/** Some servers keep everything below the inbox. */
function firstNamed(mailboxes: readonly Mailbox[], names: readonly string[]): Mailbox | undefined {
  const selectable = mailboxes.filter((mailbox) => mailbox.selectable)
  const pathed = selectable.map((mailbox) => ({ mailbox, path: pathIn(mailbox) }))
  for (const name of names) {
    const found = pathed.find(({ path }) => path === name || path === `inbox/${name}`)
    if (found !== undefined) return found.mailbox
  }
  return undefined
}

function pathIn({ name, delimiter }: Mailbox): string {
  // Some programs take letters and their accents apart.
  return pathOf(name, delimiter).toLowerCase().normalize('NFC')
}
