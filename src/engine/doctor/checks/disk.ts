/** Whether there is room: a full disk stops the record, and with it everything. */
import type { Check } from '../check.ts'
import { broken, ok, warning } from '../finding.ts'

const MB = 1024 * 1024
const TOO_LITTLE = 50 * MB
const LITTLE = 500 * MB

export const diskCheck: Check = {
  name: 'disk',
  looksAt: 'room on the disk of the data directory',
  async run(world) {
    const free = await world.freeBytes()
    if (free === undefined) return []
    const left = `${Math.floor(free / MB)} MB are left for the data directory`
    const cure = 'make room, set POSTERN_DATA_DIR to another disk, or run "postern forget ACCOUNT" for a mirror'
    if (free < TOO_LITTLE) return [broken(left, cure)]
    return [free < LITTLE ? warning(left, cure) : ok(left)]
  },
}
