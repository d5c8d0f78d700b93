/** docs/reference/commands.md: the help of every command, as the program itself has it. */
import type { Command } from 'commander'
import { type Commands, makeProgram } from '../src/surfaces/cli/program.ts'

/** The same on every terminal. */
const WIDTH = 100

const HEAD = `# Commands

The help of every command, as \`postern … --help\` prints it. Inside the clone it is \`npx postern …\`.
`

export function commandsPage(): string {
  const [program, ...commands] = commandsOf(theProgram())
  if (program === undefined) throw new Error('a program without itself')
  const groups = commands.filter(({ words }) => words.length === 1).map(({ words }) => link(words))
  return [HEAD, `${groups.join(' · ')}\n`, section(program), ...commands.map(section)].join('\n')
}

export interface CommandWords {
  /** The words that lead to it; none for the program itself. */
  readonly words: readonly string[]
  readonly command: Command
}

/** Nobody runs it: it is only looked at. */
export function theProgram(print: (text: string) => void = () => undefined): Command {
  return makeProgram('', { print, complain: print }, {} as Commands, () => undefined)
}

export function commandsOf(command: Command, words: readonly string[] = []): readonly CommandWords[] {
  const below = command.commands.flatMap((sub) => commandsOf(sub, [...words, sub.name()]))
  return [{ words, command }, ...below]
}

function section({ words, command }: CommandWords): string {
  const title = ['postern', ...words].join(' ')
  return `${words.length < 2 ? '##' : '###'} ${title}\n\n\`\`\`\n${helpOf(command)}\n\`\`\`\n`
}

function helpOf(command: Command): string {
  let text = ''
  const write = (more: string): void => {
    text += more
  }
  command.configureOutput({
    writeOut: write,
    writeErr: write,
    getOutHelpWidth: () => WIDTH,
    getOutHasColors: () => false,
  })
  command.outputHelp()
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
}

function link(words: readonly string[]): string {
  return `[${words.join(' ')}](#postern-${words.join('-')})`
}
