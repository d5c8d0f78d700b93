/** Whether sending is switched on where it is set up. Whether the server can be reached is another check's. */
import type { Check } from '../check.ts'
import { ok, warning } from '../finding.ts'

export const sendingCheck: Check = {
  name: 'sending',
  looksAt: 'whether sending is switched on',
  async run(world) {
    const { accounts, devMode } = world.sending
    if (accounts.length === 0) return []
    const names = accounts.join(', ')
    if (!devMode) return [ok(`sending is switched on for ${names}`)]
    const clients = (await world.clients()).filter(({ servers }) => servers.some(({ letsGo }) => letsGo === true))
    if (clients.length > 0) {
      return [
        ok(
          `sending is switched on for ${names} where ${clients.map(({ client }) => client).join(', ')} starts Postern`,
        ),
      ]
    }
    const sentence = `sending is set up for ${names}, but DEV_MODE is on (as it is unless turned off): messages are not sent`
    return [warning(sentence, 'to send messages, set DEV_MODE=false for the server')]
  },
}
