/** What `postern --help` teaches: the commands by what a person wants to do, and examples to begin with. */
import type { Command } from 'commander'
import { USUAL_PORT } from './choices.ts'

/** In the order in which somebody needs them. */
const GROUPS: readonly (readonly [heading: string, commands: readonly string[]])[] = [
  ['Set up:', ['setup', 'client', 'oauth', 'import', 'check', 'completions']],
  ['Serve:', ['serve', 'demo', 'reload']],
  ['Look:', ['console', 'explain', 'audit', 'sync']],
  ['Approve:', ['outbox', 'approve', 'reject']],
  ['Mend:', ['doctor', 'transfers', 'forget']],
]
const OTHERS = 'More:'

/** After the last command was added. */
export function teach(program: Command): Command {
  for (const command of program.commands) command.helpGroup(groupOf(command.name()))
  program.helpCommand(false)
  return program.configureHelp({ groupItems: inOrder }).addHelpText('after', examplesFor(program.name()))
}

function groupOf(name: string): string {
  return GROUPS.find(([, commands]) => commands.includes(name))?.[0] ?? OTHERS
}

/** Commands stand in our order, whatever else has a group in its own. */
function inOrder<T>(_all: T[], visible: T[], group: (item: T) => string): Map<string, T[]> {
  const found = Map.groupBy(visible, group)
  const headings = [...GROUPS.map(([heading]) => heading), ...found.keys()]
  return new Map(headings.flatMap((heading) => pair(heading, found.get(heading))))
}

function pair<T>(heading: string, items: T[] | undefined): [string, T[]][] {
  return items === undefined ? [] : [[heading, items]]
}

/** By what somebody wants to do: what is typed after the program, and what it is good for. */
const EXAMPLES: readonly (readonly [purpose: string, examples: readonly (readonly [words: string, does: string])[]])[] =
  [
    [
      'to set up',
      [
        ['setup', 'your address, a password or a browser, and what agents may do'],
        ['client add claude-desktop', 'have a client on this machine use it'],
        ['demo', `or try it first: a make-believe mailbox at http://127.0.0.1:${USUAL_PORT}/mcp`],
      ],
    ],
    [
      'to serve',
      [
        ['', 'over stdio, as MCP hosts start it'],
        [`--transport http --port ${USUAL_PORT}`, 'the same for several clients over HTTP'],
      ],
    ],
    [
      'to look',
      [
        ['console', 'a page to look and approve'],
        ['check', 'what may each caller do?'],
        ['audit show --since 2h', 'what was done, and what was refused?'],
        ['audit verify', 'has nobody changed the record?'],
      ],
    ],
    [
      'to approve',
      [
        ['outbox', 'which letters wait for a person?'],
        ['approve 261115-0a1b', 'show one, and let it go'],
      ],
    ],
    [
      'to mend',
      [
        ['doctor', 'what is wrong, and what mends it?'],
        ['transfers retry --all', 'go on with moves that got stuck'],
      ],
    ],
  ]
const WORDS_WIDTH = Math.max(...EXAMPLES.flatMap(([, examples]) => examples.map(([words]) => words.length)))

function examplesFor(name: string): string {
  const line = ([words, does]: readonly [string, string]): string => `    ${name} ${words.padEnd(WORDS_WIDTH)}  ${does}`
  const lines = EXAMPLES.flatMap(([purpose, examples]) => [`  ${purpose}:`, ...examples.map(line)])
  return `
Examples
${lines.join('\n')}

One account from the environment:
  MAIL_IMAP_DEFAULT_HOST=imap.example.com MAIL_IMAP_DEFAULT_USER=me@example.com MAIL_IMAP_DEFAULT_PASS=… ${name}
Changes to mail are refused unless MAIL_IMAP_WRITE_ENABLED=true.
`
}
