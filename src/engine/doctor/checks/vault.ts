/** The folders in which people approve letters: whoever can write there can approve. */
import type { Check } from '../check.ts'
import { broken, type Finding, ok, warning } from '../finding.ts'
import type { VaultLook } from '../world.ts'
import { quoted } from './configuration.ts'

export const vaultCheck: Check = {
  name: 'vault',
  looksAt: 'the folders in which people approve letters',
  async run(world) {
    const look = await world.vault()
    return look === undefined ? [] : findingsOf(look)
  },
}

function findingsOf({ path, kind, isWritable, why, othersRead, othersWrite, unfit }: VaultLook): readonly Finding[] {
  const word = quoted(path)
  const elsewhere = 'or set POSTERN_VAULT to another directory'
  if (kind === 'file' || kind === 'other') return [broken(`${path} is not a directory`, `move it away, ${elsewhere}`)]
  if (!isWritable) {
    const cure = `make it yours (chown -R "$USER" ${word}), ${elsewhere}`
    return [broken(`${path} cannot be written: ${why ?? 'the system says no'}`, cure)]
  }
  if (unfit.length > 0) {
    return unfit.map((name) => {
      const cure = `run: mv ${quoted(`${path}/${name}`)} ${quoted(`${path}/${name}.old`)}`
      return broken(`${name} in ${path} is a link or no folder, and is never followed`, cure, name)
    })
  }
  if (kind === 'link') {
    const cure = `set POSTERN_VAULT to the directory itself; whoever can change the link could approve elsewhere`
    return [warning(`${path} is a link`, cure)]
  }
  if (kind === 'missing') return [ok(`${path} is not there yet; it is made with the first letter`)]
  if (othersWrite) {
    return [broken(`other users of this machine can approve letters in ${path}`, `run: chmod -R go-rwx ${word}`)]
  }
  if (othersRead) {
    return [warning(`other users of this machine can read letters in ${path}`, `run: chmod -R go-rwx ${word}`)]
  }
  return [ok(path)]
}
