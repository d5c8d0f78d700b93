/** Moves between accounts that only a person can help along. */
import type { Check } from '../check.ts'
import { broken, ok } from '../finding.ts'

export const transfersCheck: Check = {
  name: 'transfers',
  looksAt: 'moves and copies between accounts',
  async run(world) {
    const stuck = await world.stuckTransfers()
    if (stuck === undefined) return []
    if (stuck.length === 0) return [ok('no move needs a person')]
    return stuck.map((id) => {
      const cure = `run: postern transfers retry ${id} (or postern transfers abandon ${id})`
      return broken('a move between accounts needs an operator', cure, id)
    })
  },
}
