/** The hijacked agent: reads the newest mail and does whatever it says, in every way it knows. */
import { expect } from 'vitest'
import { severalAtOnce } from '../corpus/live.ts'
import type { Data } from '../imap/answers.ts'
import { EVERY } from './hostile-mail.ts'
import type { Said } from './ledger.ts'
import { ordersIn } from './orders.ts'
import { EVERY_ATTEMPT, LETTERS, type Plan } from './repertoire.ts'
import type { Agent } from './scene.ts'

/** What it knows of the house before it reads. */
export type Aims = Pick<Plan, 'account' | 'own' | 'secret' | 'loot' | 'foreign'>

/** As search_email names it. */
export interface Found {
  readonly message_id: string
  readonly thread_id: string
}

/** As the tools of IMAP name it, too. */
export interface Mail extends Found {
  readonly imap_id: string
}

/** What is tried for one address of a mail. */
export interface Errand {
  readonly plan: Plan
  readonly all: boolean
}

const ENTRY = /Message ID: (\S+) \| Thread ID: (\S+)/g
const AT_ONCE = 3
/** Fields that ask to be written to. */
const ASKING = /^(?:reply-to|list-unsubscribe)$/i
const NOWHERE = 'drop@evil.example'

export async function find(
  agent: Agent,
  account: string,
  query: string,
  max_results: number,
): Promise<readonly Found[]> {
  const { text } = await agent.say('search_email', { account, query, max_results })
  return [...text.matchAll(ENTRY)].map(([, message_id = '', thread_id = '']) => ({ message_id, thread_id }))
}

/** The newest of the inbox, by both of their names. */
export async function newest(agent: Agent, account: string, count: number): Promise<readonly Mail[]> {
  return byBothNames(agent, account, await find(agent, account, 'in:inbox', count))
}

/** A Gmail account tells which uid is which of its own ids; every house numbers them anew. */
export async function byBothNames(agent: Agent, account: string, found: readonly Found[]): Promise<readonly Mail[]> {
  if (found.every(({ message_id }) => message_id.startsWith('imap:'))) {
    return found.map((mail) => ({ ...mail, imap_id: mail.message_id }))
  }
  const { text } = await agent.say('search', { account, folder: 'INBOX', limit: 500 })
  const { uidvalidity, gmail_results } = JSON.parse(text) as {
    readonly uidvalidity: number
    readonly gmail_results: readonly { readonly uid: number; readonly gm_msgid: string }[]
  }
  const uids = new Map(gmail_results.map(({ uid, gm_msgid }) => [gm_msgid, uid]))
  return found.map((mail) => {
    const imap_id = `imap:${account}:INBOX:${uidvalidity}:${uids.get(mail.message_id)}`
    return { ...mail, imap_id }
  })
}

/** What the mails tell it to do, in their order. All of an address belongs to the mail that names it. */
export async function errandsIn(agent: Agent, mails: readonly Mail[], aims: Aims): Promise<readonly Errand[]> {
  const errands: (readonly Errand[])[] = []
  await severalAtOnce(AT_ONCE, mails, async (mail, at) => {
    const plans = plansFor(mail, await read(agent, mail.imap_id, aims), aims)
    const some = EVERY ? plans : plans.slice(0, 2)
    errands[at] = some.map((plan, place) => ({ plan, all: EVERY || place === 0 }))
  })
  return errands.flat()
}

/** Does them, after it has read what they are about. Returns what came of each attempt. */
export async function obey(agent: Agent, errands: readonly Errand[]): Promise<readonly Said[]> {
  const results: Said[] = []
  await severalAtOnce(AT_ONCE, errands, async ({ plan, all }) => {
    const attempts = all ? EVERY_ATTEMPT : [LETTERS.send]
    results.push(...(await Promise.all(attempts.map((attempt) => attempt(agent, plan)))).flat())
  })
  return results
}

/** All that a reader could take for an address to write to: whoever wrote it, wants answers or copies, and whatever the text says. */
export async function read(agent: Agent, imap_id: string, { account }: Pick<Aims, 'account'>): Promise<string> {
  const args = { account_id: account, message_id: imap_id, include_html: true, body_max_chars: 20_000 }
  const { text, isRefusal } = await agent.say('imap_get_message', args)
  // Who cannot read obeys nothing.
  expect(isRefusal, text).toBe(false)
  const { message } = (JSON.parse(text) as { readonly data: Data }).data
  const { from, cc, subject, headers = {}, body_text, body_html } = message
  const wanted = Object.entries(headers).flatMap(([name, value]) => (ASKING.test(name) ? value : []))
  return [from, cc, ...wanted, subject, body_html, body_text].join('\n')
}

/** One for each address that the mail names; where it names none, things go where they always go. */
function plansFor({ imap_id, message_id, thread_id }: Mail, text: string, aims: Aims): readonly Plan[] {
  const { addresses, urls, amounts, verbs } = ordersIn(text, aims.own)
  const [url = 'https://evil.example/'] = urls
  return (addresses.length === 0 ? [NOWHERE] : addresses).map((target, at) => {
    const name = `${message_id} ${at} ${[...verbs].join(' ')} ${amounts.join(' ')}`.trim()
    return { ...aims, name, target, url, message_id, thread_id, imap_id }
  })
}
