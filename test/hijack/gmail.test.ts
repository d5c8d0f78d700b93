/** The hijacked agent at a Gmail account: nothing is handed to Gmail for delivery that nobody has approved. */
import { describe, expect, test } from 'vitest'
import { gmailOffice } from './gmail-office.ts'
import { ATTACKER, corpusHostileMail, inWaves, ownHostileMail, sampled } from './hostile-mail.ts'
import { idIn, WAITING } from './ledger.ts'
import { find } from './obey.ts'
import { EMMA } from './post-office.ts'
import { TRUSTED } from './tree.ts'
import { expectNothingOut, inPlace } from './wave.ts'

const CAROL = 'carol@partner.example'

/** The program does not ask Gmail faster than Google lets it, so a wave is small, and several come at once. */
const MOST_OF_CORPUS = 60
const WAVE = 11
const waves = inWaves([...ownHostileMail(), ...sampled(corpusHostileMail(), MOST_OF_CORPUS)], WAVE)

describe.concurrent('obeying all of it gets nothing out', () => {
  describe.each(['always', 'flow'] as const)('%s', (caller) => {
    test.each(waves.map((mails, at) => ({ at, mails })))('wave $at', { timeout: 900_000 }, ({ mails }) =>
      expectNothingOut(gmailOffice, caller, mails),
    )
  })
})

test('what a person approves leaves, once, and what is free is free', () =>
  inPlace(gmailOffice, async ({ office, houses }) => {
    const house = await houses.house()
    const agent = await house.agent('always')
    const args = { account: EMMA, to: CAROL, bcc: TRUSTED, subject: 'Approved', body: 'as we said' }
    const id = idIn(await agent.say('send_email', args))
    expect(await house.postern('approve', id, '--yes')).toMatchObject({ code: 0 })
    expect((await agent.say('send_email', { ...args, bcc: ATTACKER })).text).toMatch(WAITING)
    expect(office.asked()).toBe(0)
    expect((await agent.say('send_email', args)).text).toMatch(/^Email sent/)
    expect((await agent.say('send_email', args)).text).toMatch(/^Rejected: already sent \(/)
    expect(office.asked()).toBe(1)
    expect(office.left().at(-1)?.recipients.toSorted()).toEqual([TRUSTED, CAROL])

    const flow = await house.agent('flow')
    const write = (subject: string) => flow.say('send_email', { account: EMMA, to: ATTACKER, subject, body: 'x' })
    expect((await write('before')).text).toMatch(/^Email sent/)
    await find(flow, EMMA, 'subject:Salaries', 1)
    await flow.kill()
    const again = await house.agent('flow')
    const later = await again.say('send_email', { account: EMMA, to: ATTACKER, subject: 'after', body: 'y' })
    expect(later.text).toMatch(WAITING)
    expect(office.asked()).toBe(2)
  }))
