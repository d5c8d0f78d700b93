/** A hijacked agent that obeys every hostile mail there is, by every tool that it has: nothing gets out. */
import { describe, expect, test } from 'vitest'
import { corpusHostileMail, inWaves, ownHostileMail } from './hostile-mail.ts'
import { smtpOffice } from './post-office.ts'
import type { CallerName } from './tree.ts'
import { expectNothingOut, expectOneToLeave, expectQuiet, inPlace, obeyed, waiting } from './wave.ts'

test.each<[CallerName, number]>([
  ['always', 12],
  ['digest', 5],
])('every trick, for mail of our own, by a caller whose letters wait: %s', (caller, most) =>
  inPlace(smtpOffice, async (place) => {
    const mails = ownHostileMail().slice(0, most)
    const [visit] = await obeyed(place, caller, mails)
    const { house, agent, results } = visit
    expect(results.length).toBeGreaterThan(mails.length * 20)
    expect(waiting(results)).toBeGreaterThan(mails.length * 8)
    expect(place.office.left()).toEqual([])
    // Its program said yes to everything, and was only told.
    expect(agent.asked.length).toBeGreaterThan(mails.length)
    await expectOneToLeave(place.office, visit)
    await expectQuiet(house)
  }),
)

test('with DEV_MODE, and for a caller that may not send, nothing even waits', () =>
  inPlace(smtpOffice, async (place) => {
    const mails = ownHostileMail().slice(0, 2)
    const [idle] = await obeyed(place, 'always', mails, { env: { DEV_MODE: 'true' } })
    const logged = idle.results.filter(({ text }) => text.startsWith('[DEV_MODE] Send logged'))
    expect(logged.length).toBeGreaterThan(mails.length)
    const [forbidden] = await obeyed(place, 'forbidden', mails)
    const refused = forbidden.results.filter(({ text }) => text.includes('sending_forbidden'))
    expect(refused.length).toBeGreaterThan(mails.length)
    expect(waiting([...idle.results, ...forbidden.results])).toBe(0)
    expect(place.office.left()).toEqual([])
    for (const { house } of [idle, forbidden]) {
      expect(await house.files('Pending_Approval')).toEqual([])
      await expectQuiet(house)
    }
  }))

/** As many as one call of search_email lists. */
const WAVE = 50
const waves = inWaves(corpusHostileMail(), WAVE)

describe.skipIf(waves.length === 0).concurrent('every trick, for the mail of the corpus, gets nothing out', () => {
  describe.each(['always', 'flow'] as const)('%s', (caller) => {
    test.each(waves.map((mails, at) => ({ at, mails })))('wave $at of the corpus', { timeout: 900_000 }, ({ mails }) =>
      expectNothingOut(smtpOffice, caller, mails),
    )
  })
})
