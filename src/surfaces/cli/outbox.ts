/**
 * `postern outbox`: letters that want to leave, and what became of them.
 *
 * INVARIANT: nothing is settled that nobody agreed to.
 */
import { Failure } from '../../core/failure.ts'
import type { EntryKind } from '../../core/outbox/entry.ts'
import type { OutboxDesk, Person } from '../../engine/outbox/desk.ts'
import type { OutboxChoice } from './choices.ts'
import { type ConsentParts, isAgreed, requirePerson } from './consent.ts'
import { letterJson } from './letter-json.ts'
import { listedLetter, shownLetter } from './letter-lines.ts'
import { nextSteps } from './letter-steps.ts'
import type { Adviser } from './program.ts'

export interface OutboxParts extends ConsentParts {
  readonly desk: OutboxDesk
  readonly terminal: Adviser
  /** Who is at the command line. */
  readonly person: Person
  now(): number
}

const OPEN: readonly EntryKind[] = ['waiting', 'approved', 'claimed', 'needs_operator']
/** More than anybody reads. */
const MOST = 500

type Of<C extends OutboxChoice['command']> = Extract<OutboxChoice, { command: C }>

export async function outboxCommand(choice: OutboxChoice, parts: OutboxParts): Promise<number> {
  switch (choice.command) {
    case 'list':
      return list(choice, parts)
    case 'show':
      return show(choice, parts)
    case 'look':
      return look(choice, parts)
    case 'settle':
      return settle(choice, parts)
  }
}

async function list({ all, json }: Of<'list'>, { desk, terminal, now }: OutboxParts): Promise<number> {
  const entries = await desk.list({ ...(!all && { kinds: OPEN }), most: MOST })
  if (json) {
    terminal.print(entries.map((entry) => letterJson(entry)).join(''))
    return 0
  }
  const none = all ? 'no letters\n' : 'no letter is open; --all shows those that are over\n'
  terminal.print(entries.length === 0 ? none : entries.map((entry) => listedLetter(entry, now())).join('\n'))
  if (entries.length === MOST) terminal.complain(`postern: these are the newest ${MOST}\n`)
  return 0
}

async function show({ id, json }: Of<'show'>, parts: OutboxParts): Promise<number> {
  const { desk, terminal, now } = parts
  const shown = await desk.show(id, stopSignal(parts))
  terminal.print(json ? letterJson(shown.entry, shown) : `${shownLetter(shown, now())}\n`)
  if (!json) terminal.advise(nextSteps(shown.entry, now()))
  return 0
}

async function look({ id }: Of<'look'>, parts: OutboxParts): Promise<number> {
  const { desk, terminal } = parts
  if ((await desk.lookForCopy(id, stopSignal(parts))) === 'found') {
    terminal.print('found: a copy of it lies among what was sent, so it counts as sent\n')
    return 0
  }
  terminal.print('not found: no copy of it lies among what was sent\n')
  terminal.complain(
    'postern: that proves nothing yet, since a server may file a copy late or never. Ask somebody it was for, then say ' +
      '--sent or --not-sent\n',
  )
  return 1
}

async function settle({ id, wasSent, yes }: Of<'settle'>, parts: OutboxParts): Promise<number> {
  const { desk, terminal, person, now } = parts
  const { entry } = await desk.show(id, stopSignal(parts))
  if (!yes && entry.state.kind === 'needs_operator') requirePerson(parts)
  terminal.print(listedLetter(entry, now()))
  if (entry.state.kind !== 'needs_operator') {
    terminal.complain(`postern: there is nothing to settle. ${nextSteps(entry, now())}`)
    return 1
  }
  const question = wasSent
    ? 'Record that it was sent? It is then never sent again.'
    : 'Record that it was not sent? If it was, and the agent asks again, it may arrive twice.'
  if (!yes && !(await isAgreed(question, 'nothing was settled', parts))) {
    terminal.print('nothing was settled\n')
    return 1
  }
  await desk.settle(entry.id, wasSent, person)
  terminal.print(
    wasSent
      ? 'settled: it was sent\n'
      : 'settled: it was not sent. The agent may ask for it anew, and a person is then asked anew\n',
  )
  return 0
}

export function stopSignal({ onStop }: Pick<ConsentParts, 'onStop'>): AbortSignal {
  const stopping = new AbortController()
  onStop(() => stopping.abort(new Failure('cancelled', 'stopped')))
  return stopping.signal
}
