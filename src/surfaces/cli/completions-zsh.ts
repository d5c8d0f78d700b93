/** Completions for zsh. */
import type { OptionWord, Word, Words } from './completions.ts'

export function zshScript(all: readonly Words[]): string {
  return `#compdef postern
# Completions of postern for zsh. To use them: source <(postern completions zsh)
_postern() {
  local place="" i
  local -a found
  for (( i = 2; i < CURRENT; i++ )); do
    case "$place \${words[i]}" in
${all.flatMap(({ path }) => (path.length === 0 ? [] : [`      ${quoted(key(path))}) place=${quoted(key(path))} ;;`])).join('\n')}
    esac
  done
  case "$place \${words[CURRENT - 1]}" in
${all.flatMap((words) => words.options.flatMap((option) => valueCase(words, option))).join('\n')}
  esac
  case "$place" in
${all.map(wordsCase).join('\n')}
  esac
}
if [ "$funcstack[1]" = "_postern" ]; then _postern "$@"; else compdef _postern postern; fi
`
}

function key(path: readonly string[]): string {
  return path.map((word) => ` ${word}`).join('')
}

function valueCase({ path }: Words, { name, takes, choices }: OptionWord): readonly string[] {
  const at = `    ${quoted(`${key(path)} ${name}`)})`
  if (takes === 'choice') return [`${at} compadd -- ${choices.map(quoted).join(' ')}; return ;;`]
  if (takes === 'directory') return [`${at} _files -/; return ;;`]
  return takes === 'text' ? [`${at} return ;;`] : []
}

function wordsCase({ path, commands, options, takesFiles }: Words): string {
  const lines = [...commands, ...options].map((word) => `        ${quoted(described(word))}`)
  const files = takesFiles ? '; _files' : ''
  return `    ${quoted(key(path))}) found=(\n${lines.join('\n')}\n      ); _describe 'postern' found${files} ;;`
}

/** A colon ends the word. */
function described({ name, description }: Word): string {
  return `${name.replaceAll(':', '\\:')}:${description}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
