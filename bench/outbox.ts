/**
 * What approval on record, one claim and one send cost beside sending: letters a second through the whole outbox, with every
 * step on disk, beside nodemailer's own pool to the same server; and drafts beside raw APPENDs of the same size.
 *
 * INVARIANT: a letter counts only once it was accepted and, for the outbox, called sent.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ImapFlow } from 'imapflow'
import { createTransport } from 'nodemailer'
import { startDovecot } from '../test/dovecot/dovecot.ts'
import { SINK_PASSWORD, SINK_USER } from '../test/smtp/sink.ts'
import { count, median, times } from './figures.ts'
import { openDesk } from './outbox-desk.ts'
import type { Goal, Section } from './report.ts'
import { inTemporaryFolder, type Login, postern } from './servers.ts'
import { StdioClient } from './stdio-client.ts'

const USER = 'sender'
const PASSWORD = 'bench'
/** As many as Postern opens to one server. */
const CONNECTIONS = 3
const ROUNDS = 5
const WARM_UP = 3
const ROUND_MS = 500
const IN_FLIGHT = [1, 8] as const
const BODY = 'A line of a letter that says nothing in particular and is some eighty characters.\n'.repeat(24)

/** One of those that are measured beside each other: does one piece of work. */
interface Side {
  readonly name: string
  readonly inFlight: number
  work(number: number): Promise<unknown>
  readonly rates: number[]
}

export function outbox(): Promise<Section> {
  return inTemporaryFolder(async (home) => {
    const dovecot = await startDovecot({ users: { [USER]: PASSWORD } })
    const sink = await startSinkProcess()
    const login: Login = { port: dovecot.port, user: USER, password: PASSWORD }
    const imap = new ImapFlow({ ...plain(login.port), auth: { user: USER, pass: PASSWORD } })
    await imap.connect()
    await imap.mailboxCreate('Drafts').catch(() => undefined)
    const desks = [true, false].map((filesSent) => {
      const folder = join(home, String(filesSent))
      mkdirSync(folder)
      return openDesk(folder, login, sink.port, filesSent)
    })
    const auth = { user: SINK_USER, pass: SINK_PASSWORD }
    const pool = createTransport({
      pool: true,
      maxConnections: CONNECTIONS,
      maxMessages: 1e9,
      ...plain(sink.port),
      auth,
    })
    const program = postern(home, login)
    const client = new StdioClient({
      ...program,
      env: { ...program.env, ...DRAFTING },
      args: [...program.args, '--toolsets', 'outbox'],
    })
    try {
      await client.initialize()
      const sides = await measured([
        ...IN_FLIGHT.flatMap((inFlight): Omit<Side, 'rates'>[] => [
          { name: 'nodemailer, its pool', inFlight, work: (at) => pool.sendMail(letterOf(at)) },
          { name: 'Postern, the server keeps the copy', inFlight, work: (at) => send(desks[0], at) },
          { name: 'Postern, which files the copy', inFlight, work: (at) => send(desks[1], at) },
        ]),
        { name: 'imapflow, APPEND', inFlight: 1, work: () => imap.append('Drafts', DRAFT, ['\\Draft']) },
        { name: 'Postern, draft_email over stdio', inFlight: 1, work: (at) => draft(client, at) },
        { name: 'Postern, draft_email over stdio', inFlight: 8, work: (at) => draft(client, at) },
      ])
      return section(sides)
    } finally {
      pool.close()
      await client.stop()
      await Promise.all(desks.map((desk) => desk.close()))
      await imap.logout()
      sink.stop()
      await dovecot.stop()
    }
  })
}

const DRAFTING = { MAIL_IMAP_WRITE_ENABLED: 'true', DEV_MODE: 'false', MAIL_IMAP_BENCH_EMAIL: SINK_USER }
const DRAFT = `From: ${SINK_USER}\r\nTo: bob@example.com\r\nSubject: A draft\r\n\r\n${BODY.replaceAll('\n', '\r\n')}`

function plain(port: number) {
  return { host: '127.0.0.1', port, secure: false, ignoreTLS: true, doSTARTTLS: false, logger: false as const }
}

function letterOf(number: number) {
  return { from: SINK_USER, to: 'bob@example.com', subject: `Letter ${number}`, text: BODY }
}

async function send(desk: ReturnType<typeof openDesk> | undefined, number: number): Promise<void> {
  await desk?.send(`Letter ${number}`, BODY)
}

async function draft(client: StdioClient, number: number): Promise<void> {
  const answer = await client.call('draft_email', { to: 'bob@example.com', subject: `Draft ${number}`, body: BODY })
  if (!JSON.stringify(answer).includes('Draft created')) throw new Error(`no draft: ${JSON.stringify(answer)}`)
}

let letters = 0

async function measured(given: readonly Omit<Side, 'rates'>[]): Promise<readonly Side[]> {
  const sides = given.map((side) => ({ ...side, rates: [] as number[] }))
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const { work, inFlight, rates } of sides) {
      const rate = await rateOf(work, inFlight)
      if (round >= 0) rates.push(rate)
    }
  }
  return sides
}

async function rateOf(work: Side['work'], inFlight: number): Promise<number> {
  const began = performance.now()
  let done = 0
  const worker = async (): Promise<void> => {
    while (performance.now() - began < ROUND_MS) {
      letters += 1
      await work(letters)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  return done / ((performance.now() - began) / 1000)
}

async function startSinkProcess(): Promise<{ readonly port: number; stop(): void }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'outbox-sink.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  return { port: Number(said.toString()), stop: () => void child.kill('SIGKILL') }
}

function section(sides: readonly Side[]): Section {
  const rate = (name: string, inFlight: number): number =>
    median(sides.find((side) => side.name.startsWith(name) && side.inFlight === inFlight)?.rates ?? [])
  const cost = (inFlight: number): Goal => ({
    what: `a letter's cost through the outbox / nodemailer's, ${inFlight} in flight`,
    measured: rate('nodemailer', inFlight) / rate('Postern, the server', inFlight),
    atMost: 2,
    write: times,
  })
  const beside = ({ name, inFlight }: Side): number =>
    rate(
      name.includes('draft') || name.startsWith('imapflow') ? 'imapflow' : 'nodemailer',
      name.includes('draft') ? 1 : inFlight,
    )
  return {
    title: 'Letters and drafts per second',
    note: `Medians of ${ROUNDS} interleaved rounds of ${ROUND_MS} ms, letters of 2 kB on open connections, the SMTP server in a process of its own. Through the outbox each letter is decided, composed, recorded, queued, claimed and called sent, each step on disk before the next.`,
    head: ['', 'in flight', 'a second', 'cost / plain'],
    rows: sides.map((side) => [
      side.name,
      String(side.inFlight),
      count(median(side.rates)),
      times(beside(side) / median(side.rates)),
    ]),
    goals: IN_FLIGHT.map(cost),
  }
}
