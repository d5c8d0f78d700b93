/** Access that a person grants in a browser. */
import type { Check } from '../check.ts'
import { broken, type Finding, ok } from '../finding.ts'
import type { Grant } from '../world.ts'
import { quoted } from './configuration.ts'

export const grantsCheck: Check = {
  name: 'grants',
  looksAt: 'access that was granted in a browser (OAuth)',
  patienceMs: 20_000,
  run: ({ grants }) => Promise.all(grants.map(findingOf)),
}

async function findingOf({ account, state }: Grant): Promise<Finding> {
  const now = await state()
  const again = `run: postern oauth --account ${quoted(account)}`
  if (now.kind === 'stands') return ok('access is granted', account)
  if (now.kind === 'missing') return broken('nobody has granted access yet', again, account)
  if (now.kind === 'refused') return broken('the access that was granted has expired or was taken back', again, account)
  const [sentence = now.why, cure] = now.why.split(': ', 2)
  return broken(sentence, cure ?? again, account)
}
