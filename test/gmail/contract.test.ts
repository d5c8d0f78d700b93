/**
 * The mail-source contract on a server that behaves as Gmail does, in two languages.
 *
 * The account's own "auto-expunge" is off here: with it on, which is Gmail's default, a message flagged `\Deleted`
 * leaves the label at once, so that nothing is left to expunge.
 */
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import type { SourceUnderTest } from '../mail-source/bench.ts'
import { mailSourceContract } from '../mail-source/contract.ts'
import { accountOptions } from './desk.ts'
import { type GmailOptions, startGmail } from './server.ts'

async function make(options: GmailOptions): Promise<SourceUnderTest> {
  const gmail = await startGmail({ autoExpunge: false, ...options })
  const { store } = gmail.account()
  const source = createImapSource(accountOptions(gmail), silentLog)
  return {
    source,
    seed: async (name, messages) => {
      const mailbox = store.mailbox(name) ?? store.createLabel(name)
      if (mailbox?.label === undefined) throw new Error('messages are put under labels only')
      const { label } = mailbox
      return messages.map((message) => {
        const { msgid } = store.add({ ...message, labels: [label] })
        if (message.flags?.includes('\\Deleted') === true) mailbox.deleted.add(msgid)
        return mailbox.uidOf(msgid) ?? 0
      })
    },
    vanish: async (name, uid) => {
      const msgid = store
        .mailbox(name)
        ?.contents()
        .find((entry) => entry.uid === uid)?.msgid
      const message = store.message(msgid ?? 0n)
      if (message !== undefined) store.destroy(message)
    },
    dispose: async () => {
      await source.close()
      await gmail.stop()
    },
  }
}

mailSourceContract('Gmail in English', () => make({}))
mailSourceContract('Gmail in Japanese, [Google Mail]', () => make({ language: 'ja', prefix: '[Google Mail]' }))
