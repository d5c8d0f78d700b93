/** Completions for fish. */
import type { OptionWord, Words } from './completions.ts'

export function fishScript(all: readonly Words[]): string {
  const nested = all.filter(({ path, commands }) => path.length > 0 && commands.length > 0)
  return `# Completions of postern for fish. To use them: postern completions fish > ~/.config/fish/completions/postern.fish
complete -c postern -f
${all.flatMap((words) => linesOf(words, nested)).join('\n')}
`
}

function linesOf({ path, commands, options, takesFiles }: Words, nested: readonly Words[]): readonly string[] {
  const at = condition(path, nested)
  const leaf = commands.length > 0 ? `${at}; and not __fish_seen_subcommand_from ${names(commands)}` : at
  return [
    ...commands.map(
      ({ name, description }) => `complete -c postern -n ${quoted(leaf)} -a ${name} -d ${quoted(description)}`,
    ),
    ...options.map((option) => optionLine(at, option)),
    ...(takesFiles ? [`complete -c postern -n ${quoted(at)} -F`] : []),
  ]
}

function condition(path: readonly string[], nested: readonly Words[]): string {
  const [first] = path
  if (first === undefined) return '__fish_use_subcommand'
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`)
  const isNested = nested.some(({ path: other }) => other[0] === first)
  return isNested && path.length === 1 ? `__fish_seen_subcommand_from ${first}` : seen.join('; and ')
}

function optionLine(at: string, { name, description, takes, choices }: OptionWord): string {
  const values = { nothing: '', text: ' -x', directory: ` -x -a '(__fish_complete_directories)'`, choice: '' }[takes]
  const chosen = takes === 'choice' ? ` -x -a ${quoted(choices.join(' '))}` : ''
  const flag = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`
  return `complete -c postern -n ${quoted(at)} ${flag}${values}${chosen} -d ${quoted(description)}`
}

function names(commands: Words['commands']): string {
  return commands.map(({ name }) => name).join(' ')
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
