/**
 * Listing and searching a Gmail account as the emulator plays it: Postern's source beside plain fetch of the same calls.
 *
 * INVARIANT: a time counts only where both sides found the same messages. The emulator runs in the measuring process, and so takes
 * its part of either time.
 */
import { deepStrictEqual } from 'node:assert'
import { type GmailSource, openSource } from '../test/gmail-rest/open-source.ts'
import { type GmailScene, gmailScene } from '../test/gmail-rest/scene.ts'
import { never } from '../test/mail-source/bench.ts'
import { letter } from '../test/mail-source/messages.ts'
import { count, median, ms, times } from './figures.ts'
import type { Goal, Section } from './report.ts'

const MESSAGES = 200
const PAGE = 20
const ROUNDS = 25
const WORD = 'invoice'
const MOST = 2

const WORK = {
  [`list the ${PAGE} newest`]: { criteria: {}, query: '' },
  [`search a word in subjects, ${PAGE} newest`]: { criteria: { subject: WORD }, query: `subject:"${WORD}"` },
} as const

type Work = (typeof WORK)[keyof typeof WORK]

interface Figure {
  readonly plain: number
  readonly postern: number
  readonly requests: number
}

export async function gmail(): Promise<Section> {
  const scene = await gmailScene()
  const source = openSource(scene)
  try {
    await fill(scene)
    const names = Object.keys(WORK)
    const figures: Figure[] = []
    for (const work of Object.values(WORK)) figures.push(await measure(scene, source, work))
    return {
      title: `A Gmail account, ${count(MESSAGES)} messages`,
      note: `Medians of ${ROUNDS} interleaved rounds on loopback, over connections that are kept. Plain fetch lists ids and gets ${PAGE} messages at once with their labels, and no more; Postern also keeps uids, orders, and gives each with its header and the beginning of its body, which it has read once before.`,
      head: ['', 'plain fetch', 'Postern', 'ratio', 'requests'],
      rows: names.map((name, at) => row(name, figures[at])),
      goals: names.flatMap((name, at) => goal(name, figures[at])),
    }
  } finally {
    await source.close()
    await scene.close()
  }
}

async function fill(scene: GmailScene): Promise<void> {
  for (let index = 0; index < MESSAGES; index += 1) {
    const subject = index % 5 === 0 ? `${WORD} number ${index}` : `letter number ${index}`
    await scene.deliver(letter({ subject, body: 'words and words\r\n'.repeat(40) }), {
      received: 1_700_000_000 + index,
    })
  }
}

async function measure(scene: GmailScene, source: GmailSource, work: Work): Promise<Figure> {
  const samples = { plain: [] as number[], postern: [] as number[] }
  deepStrictEqual(await posternIds(source, work), await plainIds(scene, work))
  await posternIds(source, work)
  scene.proxy.requests.splice(0)
  await posternIds(source, work)
  const requests = scene.proxy.requests.length
  for (let round = 0; round < ROUNDS; round += 1) {
    samples.plain.push(await timed(() => plainIds(scene, work)))
    samples.postern.push(await timed(() => posternIds(source, work)))
  }
  return { plain: median(samples.plain), postern: median(samples.postern), requests }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function posternIds(source: GmailSource, { criteria }: Work): Promise<number[]> {
  const { uids, uidvalidity } = await source.find('INBOX', { criteria, take: PAGE }, never())
  const summaries = await source.summaries({ mailbox: 'INBOX', uidvalidity }, uids, 200, never())
  return summaries.map(({ received }) => received)
}

async function plainIds({ url, access }: GmailScene, { query }: Work): Promise<number[]> {
  const credentials = await access.credentials(never())
  const token = credentials.kind === 'token' ? credentials.accessToken : ''
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(`${url}/gmail/v1/users/me/${path}`, { headers: { Authorization: `Bearer ${token}` } })
    return response.json()
  }
  const q = query === '' ? '' : `&q=${encodeURIComponent(query)}`
  const { messages } = (await get(`messages?labelIds=INBOX&maxResults=500${q}`)) as { messages: { id: string }[] }
  const some = messages.slice(0, PAGE).map(({ id }) => get(`messages/${id}?format=minimal`))
  return ((await Promise.all(some)) as { internalDate: string }[]).map(
    ({ internalDate }) => Number(internalDate) / 1000,
  )
}

function row(name: string, figure: Figure | undefined): string[] {
  if (figure === undefined) return [name]
  const { plain, postern, requests } = figure
  return [name, ms(plain), ms(postern), times(postern / plain), count(requests)]
}

function goal(name: string, figure: Figure | undefined): Goal[] {
  if (figure === undefined) return []
  return [
    { what: `Gmail, ${name}`, measured: figure.postern / figure.plain, atMost: MOST, write: times },
    { what: `Gmail, ${name}, requests`, measured: figure.requests, atMost: PAGE + 1, write: count },
  ]
}
