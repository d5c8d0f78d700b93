/**
 * The program, killed at every step of its dialogue with the server that takes its letters: at most one letter arrives, none is
 * called sent that nobody knows of, and only a person can say that it may be asked for again.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fault, type SmtpProxy, startProxy } from '../smtp/proxy.ts'
import { type Agent, type Scene, startScene } from './scene.ts'

const UNKNOWN = /^Error sending email: nobody knows whether it was sent: the answer was lost\. Do not send it again/
/** In the middle of a body that no server takes in one go. */
const MIDDLE = 'The middle of it.'

interface Step {
  readonly name: string
  readonly fault: Fault
  /** What the client has sent by then; nothing where it waits for the greeting. */
  readonly sent?: RegExp
  readonly arrives: number
}

const at = (name: string, sent: RegExp, does: Fault['does'] = 'stall', arrives = 0): Step => ({
  name,
  fault: { at: sent, does },
  sent,
  arrives,
})

const STEPS: readonly Step[] = [
  { name: 'before the greeting', fault: { does: 'stall' }, arrives: 0 },
  at('at EHLO', /^EHLO /),
  at('at AUTH', /^AUTH /m),
  at('at MAIL', /^MAIL FROM:/m),
  at('at RCPT', /^RCPT TO:/m),
  at('at DATA', /^DATA\r\n/m),
  at('in the middle of the message', new RegExp(MIDDLE), 'swallow'),
  at('after its end, before the answer', /\r\n\.\r\n$/, 'stall', 1),
]

let scene: Scene
let proxy: SmtpProxy
let agent: Agent

const newAgent = (): Promise<Agent> => scene.agent({ MAIL_IMAP_DEFAULT_SMTP_PORT: String(proxy.port) })

beforeAll(async () => {
  scene = await startScene()
  proxy = await startProxy(scene.sink.port)
  agent = await newAgent()
})
afterAll(async () => {
  await scene.close()
  await proxy.close()
})

const LONG = 'A line that is one of many.\n'.repeat(8000)

/** A message that a person has approved, and its id. Its file could not show all of it, so it approves nothing. */
async function approved(subject: string): Promise<{ readonly letter: Record<string, string>; readonly id: string }> {
  const letter = { to: 'bob@example.com', subject, body: `${LONG}${MIDDLE}\n${LONG}` }
  const { text } = await agent.say('send_email', letter)
  const id = /Pending_Approval\/(\S+)\.md/.exec(text)?.[1] ?? ''
  await scene.postern('approve', id, '--yes')
  return { letter, id }
}

const stateOf = async (id: string): Promise<unknown> => {
  const { stdout } = await scene.postern('outbox', id, '--json')
  return (JSON.parse(stdout) as { state: unknown }).state
}

describe('over SMTP', () => {
  test.each(STEPS)('killed $name', async ({ name, fault, sent, arrives }) => {
    const { letter, id } = await approved(`Killed ${name}`)
    const before = { letters: scene.sink.messages.length, connections: proxy.connections() }
    proxy.arrange(fault)
    const asked = agent.say('send_email', letter).catch(() => 'killed')
    if (sent === undefined) await expect.poll(() => proxy.connections()).toBe(before.connections + 1)
    else await proxy.seen(sent)
    process.kill(agent.pid, 'SIGKILL')
    expect(await asked).toBe('killed')
    await expect.poll(() => scene.sink.messages.length).toBe(before.letters + arrives)
    proxy.arrange()
    proxy.cut()

    agent = await newAgent()
    await expect.poll(async () => (await agent.say('send_email', letter)).text).toMatch(UNKNOWN)
    expect(await stateOf(id)).toBe('needs_operator')
    // The vault shows what the store knows, a little later.
    await expect.poll(() => scene.files('Needs_Operator')).toContain(`${id}.md`)
    expect(await scene.files('Approved')).toEqual([])
    expect(scene.sink.messages).toHaveLength(before.letters + arrives)
  })

  test('a person who has seen that it was not sent makes room for another', async () => {
    const { stdout } = await scene.postern('outbox', '--json')
    const lost = stdout.split('\n').filter((line) => line.includes('Killed at EHLO'))
    const { id, subject } = JSON.parse(lost[0] ?? '{}') as { id: string; subject: string }
    expect(await scene.postern('outbox', id, '--not-sent', '--yes')).toMatchObject({ code: 0 })
    const { letter, id: another } = await approved(subject)
    expect(another).not.toBe(id)
    const before = scene.sink.messages.length
    expect((await agent.say('send_email', letter)).text).toMatch(/^Email sent successfully/)
    expect(scene.sink.messages).toHaveLength(before + 1)
  })

  test('an answer that is lost is never asked for again', async () => {
    const { letter, id } = await approved('A lost answer')
    const before = { letters: scene.sink.messages.length, connections: proxy.connections() }
    proxy.arrange({ at: /\r\n\.\r\n$/, does: 'cut' })
    const said = await agent.say('send_email', letter)
    expect(said).toMatchObject({ isError: true, text: expect.stringMatching(UNKNOWN) })
    const asked = proxy.sent().split('DATA\r\n').length
    expect((await agent.say('send_email', letter)).text).toBe(said.text)
    expect((await scene.postern('approve', id, '--yes')).code).toBe(1)
    expect((await agent.say('send_email', letter)).text).toBe(said.text)
    expect(proxy.sent().split('DATA\r\n')).toHaveLength(asked)
    expect(scene.sink.messages).toHaveLength(before.letters + 1)
    expect(await stateOf(id)).toBe('needs_operator')
    expect(await scene.files('Needs_Operator')).toContain(`${id}.md`)
  })
})
