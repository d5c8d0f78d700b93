/**
 * Collected mail in a mirror, through the door: every message is found by words that are shown of it, and those made to
 * deceive by none that are hidden in them; uncertain words are found where the query asks for them, and only there.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { severalAtOnce } from '../corpus/live.ts'
import { corpusMail, hasCorpus, techniques } from '../corpus/mail.ts'
import { isShownByDesign } from '../corpus/shown-by-design.ts'
import type { Message } from '../imap/answers.ts'
import { messageId, uidvalidityOf } from '../imap/harness.ts'
import { PROGRAM, surroundings } from '../imap/postern.ts'
import { type Agent, passwordFrom, type Stage, startStage, uniform } from '../policy/stage.ts'

const IN_FLIGHT = 6
/** Runs of letters and digits, as anybody would take them for words. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu
/** What the reader of every trick can see. */
const GREETING = '"please find the notes from our meeting below"'

interface Scene {
  readonly stage: Stage
  readonly agent: Agent
  idAt(index: number): string
  /** Of every search for words. */
  readonly coverage: object
}

const COMPLETE = { source: 'mirror', complete: true }
/** One of the collected messages has more than a mebibyte of text. */
const ALL_BUT_ONE = { source: 'mirror', complete: false, notes: [expect.stringMatching(/^1 message has more text/)] }

/** With the messages in INBOX, mirrored, in that order. */
async function mirrored(messages: readonly Uint8Array[], coverage: object): Promise<Scene> {
  const stage = await startStage({
    accounts: { ada: { user: 'ada', mirror: 'full', ...passwordFrom('ada') } },
    callers: {
      agent: { policy: 'all', toolsets: ['imap', 'policy'], limits: { per_minute: 1_000_000, per_hour: 1_000_000 } },
    },
    policies: { all: { accounts: { ada: [uniform('**', 'FULL')] } } },
  })
  await stage.dovecot.deliver(
    'ada',
    'INBOX',
    messages.map((raw) => ({ raw })),
  )
  const env = surroundings({}, stage.dataDir)
  await promisify(execFile)(process.execPath, [PROGRAM, 'sync', '--config', stage.tree], { env })
  const uidvalidity = await uidvalidityOf(await stage.client('ada'), 'INBOX')
  return {
    stage,
    agent: await stage.as('agent'),
    idAt: (index) => messageId('INBOX', uidvalidity, index + 1, 'ada'),
    coverage,
  }
}

interface Answered extends Message {
  readonly uncertain_text?: string
}

async function read({ agent, idAt }: Scene, index: number): Promise<Answered> {
  const args = { account_id: 'ada', message_id: idAt(index), body_max_chars: 20_000 }
  return (await agent.postern.call('imap_get_message', args)).data.message
}

/** Whether the message is among those that are found, however many there are. */
async function isFound({ agent, coverage }: Scene, query: string, uid: number): Promise<boolean> {
  for (let offset = 0; ; offset += 500) {
    const found = await agent.ask('search', { account: 'ada', folder: 'INBOX', query, limit: 500, offset })
    const asksText = !/^(?:subject|from):/.test(query)
    expect(found['coverage']).toEqual(asksText ? coverage : COMPLETE)
    if (found.uids.includes(uid)) return true
    if (found['has_more'] !== true) return false
  }
}

/** Whose sender is shown otherwise than it stands in the message, and is searched as it stands. */
const SENDER_SHOWN_OTHERWISE: Readonly<Record<string, string>> = {
  'jstedfast__MimeKit/UnitTests_TestData_messages_feedback-report.txt':
    'a byte order mark stands before the field: to its server it has another name',
  'stdlib__datasets-spam-assassin/spam-2_00916.018fdcfbee3a549dc675f169a1243e16.eml':
    'a path in quotes is shown without its backslashes',
}

/** The longest word, which few others have, or the one in the middle. What may have been cut is not looked for. */
function wordOf(text: string | undefined, which: 'longest' | 'middle'): string[] {
  const words = text?.match(WORD)?.slice(0, -1) ?? []
  const longest = words.reduce((most, word) => (word.length > most.length ? word : most), '')
  const word = which === 'longest' ? longest : words[Math.floor(words.length / 2)]
  return word === undefined || word === '' ? [] : [word]
}

describe.skipIf(!hasCorpus())('the collected mail', () => {
  const mails = hasCorpus() ? corpusMail() : []
  let scene: Scene
  beforeAll(async () => {
    const messages = mails.map(({ raw }) => raw)
    scene = await mirrored(messages, ALL_BUT_ONE)
  }, 300_000)
  afterAll(() => scene.stage.close())

  test('every message is found by what is shown of it', { timeout: 600_000 }, async () => {
    const lost: string[] = []
    let asked = 0
    await severalAtOnce(IN_FLIGHT, mails, async ({ name, raw }, index) => {
      // Lines that end with CR alone: to its server the message is one field without a body.
      if (!raw.includes(0x0a)) return
      const { subject, from, body_text } = await read(scene, index)
      const sender = name in SENDER_SHOWN_OTHERWISE ? undefined : from
      // One word behind the last, so that none is taken for cut but those of bodies.
      const queries = [
        ...wordOf(`${subject ?? ''} .x`, 'longest').map((word) => `subject:"${word}"`),
        ...wordOf(`${sender ?? ''} .x`, 'longest').map((word) => `from:"${word}"`),
        ...wordOf(body_text, 'longest').map((word) => `"${word}"`),
        ...wordOf(body_text, 'middle').map((word) => `body:"${word}"`),
      ]
      for (const query of queries) {
        asked += 1
        if (!(await isFound(scene, query, index + 1))) lost.push(`${name}: ${query}`)
      }
    })
    process.stderr.write(`corpus in a mirror: ${mails.length} messages, ${asked} words, ${lost.length} lost\n`)
    expect(lost).toEqual([])
  })
})

const all = hasCorpus() ? techniques() : []
const placed = all.map((one, index) => ({ ...one, uid: index + 1 }))
const hiding = placed.filter((one) => one.expect === 'hidden' && !isShownByDesign(one))

describe.skipIf(all.length === 0)('the generated techniques', () => {
  let scene: Scene
  beforeAll(async () => {
    const messages = all.map(({ raw }) => raw)
    scene = await mirrored(messages, COMPLETE)
  })
  afterAll(() => scene.stage.close())

  test.each(hiding)('$id is found by none of what is hidden', async ({ canary, uid }) => {
    const number = canary.split('-').at(-1)
    expect(await isFound(scene, GREETING, uid)).toBe(true)
    for (const query of [canary, `"${canary}"`, 'CANARY*', number ?? '', `body:${number}`]) {
      expect(await isFound(scene, query, uid)).toBe(false)
    }
  })

  test('what is hidden is found with has:uncertain where it is in uncertain text, and only there', async () => {
    const wrong: string[] = []
    let unsure = 0
    await severalAtOnce(IN_FLIGHT, hiding, async ({ id, canary, uid }) => {
      const { uncertain_text = '' } = await read(scene, uid - 1)
      const isUnsure = uncertain_text.includes(canary)
      if (isUnsure) unsure += 1
      for (const query of [`has:uncertain "${canary}"`, `has:uncertain body:"${canary}"`]) {
        if ((await isFound(scene, query, uid)) !== isUnsure) wrong.push(`${id}: ${query}`)
      }
    })
    expect(wrong).toEqual([])
    expect(unsure).toBeGreaterThan(0)
  })

  test('those that are shown are found by it', async () => {
    const lost: string[] = []
    let shown = 0
    await severalAtOnce(IN_FLIGHT, placed, async ({ id, canary, uid }) => {
      const { subject, from, body_text } = await read(scene, uid - 1)
      // Not where it is only a part of a longer word.
      const isShown = new RegExp(`(?<![\\p{L}\\p{N}])${canary}(?![\\p{L}\\p{N}])`, 'u')
      if (![subject, from, body_text].some((text) => isShown.test(text ?? ''))) return
      shown += 1
      if (!(await isFound(scene, `"${canary}"`, uid))) lost.push(id)
    })
    expect(lost).toEqual([])
    expect(shown).toBeGreaterThan(10)
  })
})
