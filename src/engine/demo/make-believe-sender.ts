/** The post of a make-believe mailbox: takes every letter, and delivers none. */
import type { MailSender } from '../../ports/mail-sender.ts'

export const makeBelieveSender: MailSender = {
  send: async () => ({ refused: [] }),
  close: async () => undefined,
}
