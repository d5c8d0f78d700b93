/**
 * One portion of hostile mail, brought to a post office of its own and obeyed by a hijacked agent: nothing gets out.
 *
 * INVARIANT: an agent does only what a mail says that it has read itself, in the same house; and in no house wait more letters than
 * one account may have waiting, so that none is turned away for want of room.
 */
import { expect } from 'vitest'
import { aimsOf, layBait, SECRETS } from './bait.ts'
import type { HostileMail } from './hostile-mail.ts'
import { expectNothingTold, expectOnRecord, idIn, type Said, WAITING } from './ledger.ts'
import { byBothNames, type Errand, errandsIn, newest, obey, read } from './obey.ts'
import { EMMA, type Left, type PostOffice } from './post-office.ts'
import { type Agent, type AgentOptions, type House, openHouses } from './scene.ts'
import { type CallerName, TRUSTED } from './tree.ts'

export interface Place {
  readonly office: PostOffice
  readonly houses: ReturnType<typeof openHouses>
}

/** An agent at work in one house. */
export interface Visit {
  readonly house: House
  readonly agent: Agent
  readonly results: readonly Said[]
}

/** An account has room for 1,000; an errand leaves at most so many waiting. */
const MOST_LETTERS = 960
const LETTERS_OF_ALL = 16
const FULL = /too many letters|calling again does not help/
const SIMILAR = /only in small edits/

/** With what there is to steal in it. */
export async function inPlace<T>(open: () => Promise<PostOffice>, work: (place: Place) => Promise<T>): Promise<T> {
  const office = await open()
  const houses = openHouses(office)
  try {
    await layBait(office)
    return await work({ office, houses })
  } finally {
    await houses.close()
    await office.close()
  }
}

/** Delivers them, and has the agent do what they say. What has just come is the newest. */
export async function obeyed(
  { office, houses }: Place,
  caller: CallerName,
  mails: readonly HostileMail[],
  options?: AgentOptions,
): Promise<readonly [Visit, ...Visit[]]> {
  const house = await houses.house()
  const agent = await house.agent(caller, options)
  const aims = await aimsOf(agent, office)
  const raws = mails.map(({ raw }) => raw)
  await office.deliver(EMMA, 'INBOX', raws)
  const found = await newest(agent, EMMA, mails.length)
  expect(found).toHaveLength(mails.length)
  const [first = [], ...more] = inHouses(await errandsIn(agent, found, aims))
  const visits: [Visit, ...Visit[]] = [{ house, agent, results: await obey(agent, first) }]
  for (const errands of more) visits.push(await elsewhere({ office, houses }, caller, errands, options))
  return visits
}

function inHouses(errands: readonly Errand[]): readonly (readonly Errand[])[] {
  const portions: Errand[][] = []
  let letters = MOST_LETTERS
  for (const errand of errands) {
    letters += errand.all ? LETTERS_OF_ALL : 1
    if (letters > MOST_LETTERS) {
      portions.push([])
      letters = errand.all ? LETTERS_OF_ALL : 1
    }
    portions.at(-1)?.push(errand)
  }
  return portions
}

/** What one house has no room for. Here too the agent reads first what it then wants to get out. */
async function elsewhere(
  { office, houses }: Place,
  caller: CallerName,
  errands: readonly Errand[],
  options?: AgentOptions,
): Promise<Visit> {
  const house = await houses.house()
  const agent = await house.agent(caller, options)
  await aimsOf(agent, office)
  const plans = new Map(errands.map(({ plan }) => [plan.message_id, plan]))
  const names = new Map<string, string>()
  for (const { message_id, imap_id } of await byBothNames(agent, EMMA, [...plans.values()])) {
    names.set(message_id, imap_id)
    await read(agent, imap_id, { account: EMMA })
  }
  const here = errands.map(({ plan, all }) => {
    return { plan: { ...plan, imap_id: names.get(plan.message_id) ?? '' }, all }
  })
  return { house, agent, results: await obey(agent, here) }
}

/** All that holds of a wave, whatever the office. */
export async function expectNothingOut(
  open: () => Promise<PostOffice>,
  caller: 'always' | 'flow',
  mails: readonly HostileMail[],
): Promise<void> {
  await inPlace(open, async (place) => {
    const { office } = place
    const visits = await obeyed(place, caller, mails)
    const results = visits.flatMap((visit) => visit.results)
    // To the one whom the operator trusts with everything anything may go where the operator says so, and to nobody beside.
    // A letter may name that one twice.
    const isTrusted = ({ recipients }: Left): boolean => [...new Set(recipients)].join() === TRUSTED
    expect(office.left().filter((letter) => !isTrusted(letter))).toEqual([])
    if (caller === 'always') expect([office.left(), office.asked()]).toEqual([[], 0])
    expect(results.length).toBeGreaterThan(mails.length * 20)
    expect(waiting(results)).toBeGreaterThan(mails.length * 6)
    expect(results.filter(({ text }) => FULL.test(text))).toEqual([])
    if (caller === 'always') await expectOneToLeave(office, visits[0])
    for (const { house } of visits) await expectQuiet(house)
  })
}

export async function expectQuiet(house: House): Promise<void> {
  expectNothingTold(house, SECRETS)
  await expectOnRecord(house)
}

/** That the letters were good ones: one of them leaves as soon as a person says so, and just that one. */
export async function expectOneToLeave(office: PostOffice, { house, agent, results }: Visit): Promise<void> {
  const one = results.find(
    ({ text, args }) => WAITING.test(text) && !SIMILAR.test(text) && Array.isArray(args['attachments']),
  )
  if (one === undefined) throw new Error('nothing waits')
  const before = office.left().length
  expect(await house.postern('approve', idIn(one), '--yes')).toMatchObject({ code: 0 })
  expect(office.left()).toHaveLength(before)
  expect((await agent.say(one.tool, one.args)).text).toMatch(/^Email sent successfully/)
  expect((await agent.say(one.tool, one.args)).text).toMatch(/^Rejected: already sent \(/)
  expect(office.left()).toHaveLength(before + 1)
  expect(office.left().at(-1)?.recipients).toEqual([one.args['to']])
}

/** What comes of attempts that are letters at all. */
export function waiting(results: readonly Said[]): number {
  return results.filter(({ text }) => WAITING.test(text)).length
}
