/** The data directory: it must be ours to write, and nobody else's to read. */
import type { Check } from '../check.ts'
import { broken, type Finding, ok, warning } from '../finding.ts'
import type { Place } from '../world.ts'
import { quoted } from './configuration.ts'

export const directoryCheck: Check = {
  name: 'directory',
  looksAt: 'the data directory, where state is kept',
  run: async (world) => findingsOf(await world.directory()),
}

function findingsOf(place: Place): readonly Finding[] {
  const { path, kind, isWritable, why, othersRead, othersWrite } = place
  if (kind === 'file' || kind === 'other') {
    return [broken(`${path} is not a directory`, 'move it away, or set POSTERN_DATA_DIR to a directory')]
  }
  if (!isWritable) {
    const cure = `make it yours (chown -R "$USER" ${quoted(path)}; chmod 700 ${quoted(path)}), or set POSTERN_DATA_DIR to another`
    return [broken(`${path} cannot be written: ${why ?? 'the system says no'}`, cure)]
  }
  if (kind === 'missing') return [ok(`${path} is not there yet; it is made when it is needed`)]
  if (othersRead || othersWrite) {
    const what = othersWrite ? 'written' : 'read'
    return [warning(`${path} can be ${what} by other users of this machine`, `run: chmod 700 ${quoted(path)}`)]
  }
  return [ok(path)]
}
