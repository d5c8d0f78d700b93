/** From where to where, in every round. */

export interface MailboxOf {
  readonly user: string
  readonly mailbox: string
}

export const FROM: MailboxOf = { user: 'ada', mailbox: 'Out' }
export const TO: MailboxOf = { user: 'bob', mailbox: 'In' }

export function passwordOf(user: string): string {
  return `${user}-secret`
}
