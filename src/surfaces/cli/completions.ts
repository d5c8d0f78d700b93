/**
 * `postern completions SHELL`: what a shell needs to complete our words.
 *
 * INVARIANT: made from the program itself, so that it knows every command and option there is, and no other. Only words of ours
 * reach the script, and they are quoted.
 */
import type { Command, Option } from 'commander'
import { bashScript } from './completions-bash.ts'
import { fishScript } from './completions-fish.ts'
import { zshScript } from './completions-zsh.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** A command with all that can follow it. */
export interface Words {
  /** The words that lead to it; none for the program itself. */
  readonly path: readonly string[]
  readonly commands: readonly Word[]
  readonly options: readonly OptionWord[]
  /** Whether a file or directory may stand there. */
  readonly takesFiles: boolean
}

export interface Word {
  readonly name: string
  readonly description: string
}

export interface OptionWord extends Word {
  readonly takes: 'nothing' | 'directory' | 'choice' | 'text'
  readonly choices: readonly string[]
}

const SCRIPTS: Readonly<Record<Shell, (words: readonly Words[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

export function addCompletions(program: Command, print: (text: string) => void): void {
  program
    .command('completions')
    .description('print completions for a shell, for its start-up file')
    .argument('<shell>', SHELLS.join(', '))
    .addHelpText('after', HOW)
    .action((shell: string) => print(completionsFor(program, shell)))
}

const HOW = `
Examples:
  bash   echo 'source <(postern completions bash)' >> ~/.bashrc
  zsh    echo 'source <(postern completions zsh)' >> ~/.zshrc
  fish   postern completions fish > ~/.config/fish/completions/postern.fish
`

function completionsFor(program: Command, shell: string): string {
  const known = SHELLS.find((name) => name === shell)
  if (known === undefined) program.error(`error: there are completions for ${SHELLS.join(', ')}`)
  return SCRIPTS[known ?? 'bash'](wordsOf(program, []))
}

export function wordsOf(command: Command, path: readonly string[]): readonly Words[] {
  const shown = command.createHelp().visibleCommands(command)
  const options = command.createHelp().visibleOptions(command).map(optionWord)
  const own: Words = {
    path,
    commands: shown.map((sub) => ({ name: sub.name(), description: sub.description() })),
    // What "postern" alone does can be told without its name.
    options: path.length === 0 ? unique([...options, ...defaultOptions(command)]) : options,
    takesFiles: command.registeredArguments.some((argument) => /path|file|directory/.test(argument.name())),
  }
  return [own, ...command.commands.flatMap((sub) => wordsOf(sub, [...path, sub.name()]))]
}

function defaultOptions(program: Command): readonly OptionWord[] {
  const serve = program.commands.find((command) => command.name() === 'serve')
  return serve === undefined ? [] : serve.options.map(optionWord)
}

function optionWord(option: Option): OptionWord {
  const { long, short, flags, description, argChoices = [] } = option
  const takes = argChoices.length > 0 ? 'choice' : /<(directory|path|file)>/.test(flags) ? 'directory' : 'text'
  const isBare = !option.required && !option.optional
  return { name: long ?? short ?? '', description, takes: isBare ? 'nothing' : takes, choices: argChoices }
}

function unique(options: readonly OptionWord[]): readonly OptionWord[] {
  return [...new Map(options.map((option) => [option.name, option])).values()]
}
