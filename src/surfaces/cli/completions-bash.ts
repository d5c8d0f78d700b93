/** Completions for bash. */
import type { OptionWord, Words } from './completions.ts'

export function bashScript(all: readonly Words[]): string {
  return `# Completions of postern for bash. To use them: source <(postern completions bash)
_postern() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="" path="" i
  (( COMP_CWORD > 0 )) && before="\${COMP_WORDS[COMP_CWORD - 1]}"
  COMPREPLY=()
  for (( i = 1; i < COMP_CWORD; i++ )); do
    case "$path \${COMP_WORDS[i]}" in
${all.flatMap(({ path }) => (path.length === 0 ? [] : [`      "${key(path)}") path="${key(path)}" ;;`])).join('\n')}
    esac
  done
  case "$path $before" in
${all.flatMap((words) => words.options.flatMap((option) => valueCase(words, option))).join('\n')}
  esac
  case "$path" in
${all.map(wordsCase).join('\n')}
  esac
}
complete -F _postern postern
`
}

/** As the loop makes it: each word with a blank before it. */
function key(path: readonly string[]): string {
  return path.map((word) => ` ${word}`).join('')
}

function valueCase({ path }: Words, { name, takes, choices }: OptionWord): readonly string[] {
  const at = `    "${key(path)} ${name}")`
  if (takes === 'choice') return [`${at} COMPREPLY=( $(compgen -W "${choices.join(' ')}" -- "$word") ); return ;;`]
  if (takes === 'directory') return [`${at} compopt -o filenames; COMPREPLY=( $(compgen -d -- "$word") ); return ;;`]
  return takes === 'text' ? [`${at} return ;;`] : []
}

function wordsCase({ path, commands, options, takesFiles }: Words): string {
  const words = [...commands, ...options].map(({ name }) => name).join(' ')
  const files = takesFiles ? ' compopt -o filenames; COMPREPLY+=( $(compgen -f -- "$word") );' : ''
  return `    "${key(path)}") COMPREPLY=( $(compgen -W "${words}" -- "$word") );${files} ;;`
}
