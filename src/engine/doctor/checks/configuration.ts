/** Whether there is a configuration, and whether it can be used. */
import { count } from '../../../core/text/count.ts'
import type { Check } from '../check.ts'
import { broken, type Finding, ok, warning } from '../finding.ts'
import type { Configuration } from '../world.ts'

/** More than anybody mends at once. */
const MOST_TOLD = 20

export const configurationCheck: Check = {
  name: 'configuration',
  looksAt: 'the configuration tree, or the accounts of the environment',
  run: async ({ configuration, emptyAccounts }) => [
    ...findingsOf(configuration),
    ...emptyAccounts.map(nothingImported),
  ],
}

function findingsOf(configuration: Configuration): readonly Finding[] {
  switch (configuration.kind) {
    case 'none':
      return [broken('no mail account is configured', 'run: postern setup (or try "postern demo", which needs none)')]
    case 'environment':
      return [ok(`${count(configuration.accounts, 'account')} in the environment`)]
    case 'unusable':
      return unusable(configuration)
    default: {
      const { directory, accounts, callers, warnings } = configuration
      const cure = `edit it there, then run: postern check --config ${quoted(directory)}`
      return [
        ok(`${count(accounts, 'account')} and ${count(callers, 'caller')} in ${directory}`),
        ...warnings.map((sentence) => warning(sentence, cure)),
      ]
    }
  }
}

function unusable({ where, problems }: Extract<Configuration, { kind: 'unusable' }>): readonly Finding[] {
  const isTree = where !== 'environment'
  const cure = isTree
    ? `edit it in ${where}, then run: postern check --config ${quoted(where)}`
    : 'set the variable that is named, where this program gets its environment from'
  const told = problems.slice(0, MOST_TOLD).map((problem) => broken(problem, cure))
  const rest = problems.length - told.length
  return rest > 0 ? [...told, broken(`there are ${count(rest, 'more problem')}`, cure)] : told
}

function nothingImported(account: string): Finding {
  return warning('nothing is imported yet', `run: postern import PATH --account ${quoted(account)}`, account)
}

/** For a shell. */
export function quoted(word: string): string {
  return /^[\w./@%+,:=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
