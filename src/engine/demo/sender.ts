/** The sender of the demo account: accepts every message and delivers none. */
import type { MailSender } from '../../ports/mail-sender.ts'

export const demoSender: MailSender = {
  send: async () => ({ refused: [] }),
  close: async () => undefined,
}
