/** Passwords and tokens: whether they are there, and whether only their owner can read them. */
import { count } from '../../../core/text/count.ts'
import type { Check } from '../check.ts'
import { broken, type Finding, ok, warning } from '../finding.ts'
import type { SecretLook } from '../world.ts'

export const secretsCheck: Check = {
  name: 'secrets',
  looksAt: 'where passwords and tokens are kept',
  // A person may have to unlock a keychain.
  patienceMs: 20_000,
  async run(world) {
    const looks = await world.secrets()
    const findings = looks.flatMap(findingsOf)
    const isFine = looks.length > 0 && findings.length === 0
    return isFine ? [ok(`${count(looks.length, 'secret')} can be read, by nobody else`)] : findings
  },
}

function findingsOf({ whose, problem, cure, warnings }: SecretLook): readonly Finding[] {
  const told = warnings.map((text) => parted(text, whose))
  if (problem === undefined) return told
  const [sentence = problem, hint] = split(problem, /: (?=put |set |encrypt )/)
  return [broken(sentence, cure ?? hint ?? 'run: postern setup', whose), ...told]
}

/** What stores say ends with what to do. */
function parted(text: string, whose: string): Finding {
  const [sentence = text, cure] = split(text, /; (?=run: |delete |rename |make )/)
  return warning(sentence, cure ?? 'run: postern check', whose)
}

function split(text: string, at: RegExp): readonly string[] {
  return text.split(at, 2)
}
