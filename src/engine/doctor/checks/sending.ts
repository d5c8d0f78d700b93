/** Whether letters would leave that somebody set up to leave. */
import type { Check } from '../check.ts'
import { ok, warning } from '../finding.ts'

export const sendingCheck: Check = {
  name: 'sending',
  looksAt: 'whether letters would leave',
  async run(world) {
    const { accounts, devMode } = world.sending
    if (accounts.length === 0) return []
    const names = accounts.join(', ')
    if (!devMode) return [ok(`letters can leave from ${names}`)]
    const clients = (await world.clients()).filter(({ servers }) => servers.some(({ letsGo }) => letsGo === true))
    if (clients.length > 0) {
      return [
        ok(`letters can leave from ${names} where ${clients.map(({ client }) => client).join(', ')} starts Postern`),
      ]
    }
    const sentence = `sending is set up for ${names}, but DEV_MODE is on (as it is unless turned off): letters are only noted`
    return [warning(sentence, 'when you want letters to leave, set DEV_MODE=false for the server')]
  },
}
