/** Whatever somebody else does to a Gmail account is in the next answer of its mirror. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { flagsOf } from '../../src/adapters/gmail/flags.ts'
import { ALL_MAIL, type Folder, standsIn } from '../../src/adapters/gmail/labels.ts'
import { never } from '../mail-source/bench.ts'
import { message, plain } from '../mirror/mail.ts'
import { type Mirrored, syncWell } from '../mirror/sync-scene.ts'
import { type GmailMirrorScene, gmailMirrorScene } from './mirror-scene.ts'
import { googleError } from './proxy.ts'

let scene: GmailMirrorScene
let number = 0

beforeAll(async () => {
  scene = await gmailMirrorScene()
})
afterAll(() => scene.stop())

const fresh = (): string => message(`arrival ${++number}`, plain(`kingfisher ${number}`))
const NO_HISTORY = { kind: 'answer', status: 404, body: googleError(404, 'notFound', 'NOT_FOUND') } as const
const HISTORY = /^GET [^?]*\/history\?/

const FOLDERS: readonly Folder[] = [
  { id: 'INBOX', name: 'INBOX', role: undefined },
  { id: ALL_MAIL, name: 'All Mail', role: 'all' },
  { id: 'TRASH', name: 'Trash', role: 'trash' },
  { id: 'STARRED', name: 'Starred', role: 'flagged' },
]
const LABELS = ['INBOX', 'UNREAD', 'STARRED', 'TRASH', 'IMPORTANT']
const which = fc.nat({ max: 4 })
const labels = fc.subarray(LABELS, { maxLength: 2 })
const step = fc.oneof(
  fc.record({ kind: fc.constant('deliver' as const), labels }),
  fc.record({ kind: fc.constant('label' as const), which, add: labels, remove: labels, noticed: fc.boolean() }),
  fc.record({ kind: fc.constant('remove' as const), which }),
  fc.record({ kind: fc.constant('forget' as const) }),
  fc.record({ kind: fc.constant('look' as const), folder: fc.constantFrom(...FOLDERS) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function take(one: Step, follower: Mirrored): Promise<void> {
  const held = scene.gmail.held()
  // Few, so that much happens to each.
  const chosen = 'which' in one ? held.at(-1 - one.which)?.id : undefined
  if (one.kind === 'deliver') await scene.other.deliver(fresh(), { labels: one.labels })
  else if (one.kind === 'look') await expectAsHeld(one.folder, follower)
  else if (one.kind === 'forget') scene.gmail.proxy.fault({ on: HISTORY, what: NO_HISTORY })
  else if (chosen === undefined) return
  else if (one.kind === 'remove') await scene.other.remove(chosen)
  else {
    await scene.other.label(chosen, one.add, one.remove)
    if (one.noticed) await dropIfAway(chosen)
  }
}

/** Another process has noticed that it left. */
async function dropIfAway(id: string): Promise<void> {
  const message = scene.gmail.held().find((one) => one.id === id)
  for (const folder of FOLDERS) {
    if (message !== undefined && !standsIn(folder, message.labelIds)) await scene.uids.drop(folder.id, [id], never())
  }
}

async function expectAsHeld(folder: Folder, follower: Mirrored): Promise<void> {
  const state = (await follower.sync.freshen(folder.name, never()))?.state
  expect(state).toBeDefined()
  const at = { mailbox: folder.name, uidvalidity: state?.uidvalidity ?? 0 }
  const uids = await follower.store.uids(folder.name)
  const traits = await follower.store.traits(at, uids, ['Subject'])
  const known = await scene.uids.lookUp(folder.id, uids, never())
  const kept = traits.map(({ uid, flags }) => [known.get(uid)?.id, [...flags].sort()])
  const truth = scene.gmail
    .held()
    .filter(({ labelIds }) => standsIn(folder, labelIds))
    .map(({ id, labelIds }) => [id, flagsOf(labelIds, false).sort()])
  expect(kept.toSorted()).toEqual(truth.toSorted())
}

test('is in the next answer, as it is', async () => {
  let round = 0
  const run = async (steps: readonly Step[]): Promise<void> => {
    const follower = scene.mirror(`follower ${++round}`)
    await syncWell(follower)
    for (const one of steps) await take(one, follower)
    for (const folder of FOLDERS) await expectAsHeld(folder, follower)
  }
  const steps = fc.array(step, { minLength: 10, maxLength: 40 })
  await fc.assert(fc.asyncProperty(steps, run), { numRuns: 12, endOnFailure: true })
})
