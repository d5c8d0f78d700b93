/** Messages that eat memory or time, on a real server: each is answered, and meanwhile so is everything else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { type BombMail, bombMails } from './bomb-recipes.ts'
import { expectSound, type Live, listAll, printFigures, severalAtOnce, startLive } from './live.ts'
import { bombRecipes, hasCorpus } from './mail.ts'

const IN_FLIGHT = 4
const ORDINARY = letter({ subject: 'ordinary', body: 'Nothing but a letter.' })
/** What there is to ask for beside the text. */
const MORE = {
  html: { include_html: true, body_max_chars: 20_000 },
  pdf: { extract_attachment_text: true },
  header: { include_all_headers: true },
} as const

describe.skipIf(!hasCorpus())('bombs', () => {
  let bombs: BombMail[] = []
  let live: Live
  beforeAll(async () => {
    bombs = bombMails(bombRecipes())
    live = await startLive([Buffer.from(ORDINARY), ...bombs.map((bomb) => bomb.make())])
  })
  afterAll(async () => {
    await printFigures(`${bombs.length} bombs`, live)
    await live.close()
  })
  const argsFor = (index: number) => ({ account_id: 'default', message_id: live.idAt(index + 1) })

  test('are all on the server', async () => {
    expect(new Set(bombs.map(({ id }) => id)).size).toBe(bombs.length)
    expect(await live.other.uids('INBOX')).toHaveLength(bombs.length + 1)
  })

  test('are shown, and what cannot be is told', async () => {
    const read = async (): Promise<string[]> => {
      const untold: string[] = []
      await severalAtOnce(IN_FLIGHT, bombs, async ({ id, about }, index) => {
        const wishes = about === undefined ? [{}] : [{}, MORE[about]]
        for (const more of wishes) {
          const { status, issues, message } = (await live.call('imap_get_message', { ...argsFor(index), ...more })).data
          const whole = status === 'ok' && issues.length === 0
          const told = status === 'partial' && issues.length > 0 && issues.every((issue) => issue.message !== '')
          if (!(whole || told) || message.message_id !== live.idAt(index + 1)) untold.push(`${id}: ${status}`)
        }
      })
      return untold
    }
    expect(await whileOthersCall(live, read)).toEqual([])
  })

  test('are handed out as they are', async () => {
    const read = async (): Promise<string[]> => {
      const bad: string[] = []
      await severalAtOnce(IN_FLIGHT, bombs, async ({ id }, index) => {
        const { data } = await live.call('imap_get_message_raw', { ...argsFor(index), max_bytes: 1_000_000 })
        if (data.status !== 'ok') bad.push(`${id}: ${JSON.stringify(data.issues)}`)
      })
      return bad
    }
    expect(await whileOthersCall(live, read)).toEqual([])
  })

  test('are listed with snippets', async () => {
    const listed = await whileOthersCall(live, () => listAll(live))
    expect(listed).toHaveLength(bombs.length + 1)
  })

  test('leave the program sound', async () => {
    await expectSound(live)
  })
})

/** Does the work while somebody else goes on calling, and expects an answer to each of those calls. */
async function whileOthersCall<T>(live: Live, work: () => Promise<T>): Promise<T> {
  const state = { over: false, answered: 0, slowest: 0 }
  const call = async (): Promise<void> => {
    while (!state.over || state.answered === 0) {
      const began = performance.now()
      expect((await live.postern.call('imap_list_accounts')).data.accounts).toHaveLength(1)
      const { data } = await live.postern.call('imap_get_message', { account_id: 'default', message_id: live.idAt(0) })
      expect(data.message.body_text).toBe('Nothing but a letter.')
      state.answered += 1
      state.slowest = Math.max(state.slowest, performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const calling = call()
  try {
    return await work()
  } finally {
    state.over = true
    await calling
    process.stderr.write(
      `meanwhile ${state.answered} pairs of other calls, the slowest ${Math.round(state.slowest)} ms\n`,
    )
  }
}
