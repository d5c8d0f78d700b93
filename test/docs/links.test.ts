/** What pages refer to is there: files, headings, commands with their options, variables, packages. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { straysIn } from '../../src/config/environment.ts'
import { isKnownVariable } from '../../src/config/strays.ts'
import { theProgram } from '../../tools/reference-commands.ts'
import { anchorsOf, codeOf, type Page, pageAt, pages, prose, ROOT } from './pages.ts'

const PAGES = pages()

test('there are pages', () => {
  expect(PAGES.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['README.md', 'docs/policy.md', 'docs/reference/tools.md']),
  )
})

test.each(PAGES)('the links of $path lead somewhere', (page) => {
  const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  expect(links.filter((target) => !/^https?:/.test(target) && !leadsSomewhere(page, target))).toEqual([])
})

function leadsSomewhere(page: Page, target: string): boolean {
  const [file = '', anchor] = target.split('#')
  const path = file === '' ? page.path : join(dirname(page.path), file)
  if (path.startsWith('..') || !existsSync(join(ROOT, path))) return false
  return anchor === undefined || (path.endsWith('.md') && anchorsOf(pageAt(path)).includes(anchor))
}

test.each(PAGES)('the files that $path names are there', (page) => {
  const named = codeOf(page).filter((code) => /^(src|test|tools|docs|bench|bin)\/[\w./-]+$/.test(code))
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

test('pages of docs/ can be found from the README', () => {
  const found = new Set<string>()
  const follow = (path: string): void => {
    if (found.has(path) || !path.endsWith('.md')) return
    found.add(path)
    for (const [, target = ''] of prose(pageAt(path)).matchAll(/\]\(([^)\s#]+)/g)) {
      if (!/^https?:/.test(target)) follow(join(dirname(path), target))
    }
  }
  follow('README.md')
  expect(PAGES.map(({ path }) => path).filter((path) => !found.has(path))).toEqual([])
})

test.each(PAGES)('the commands in $path can be given', (page) => {
  const lines = codeOf(page).flatMap((line) => [...line.matchAll(COMMAND_LINE)].map(([, words = '']) => words))
  expect(lines.map((line) => [line, mistakeIn(line)]).filter(([, mistake]) => mistake !== undefined)).toEqual([])
})

/** At the beginning, or behind `npx`, variables or a bracket; up to a comment, a pipe or the end. */
const COMMAND_LINE = /(?:^|\bnpx |= *|[("] *|… )\s*postern((?: (?! |#|→)[^\s|<>()"`;]+)*)/g

function mistakeIn(line: string): string | undefined {
  const words = line
    .trim()
    .split(/ +/)
    .filter((word) => word !== '')
  let command = theProgram()
  while (words[0] !== undefined && !words[0].startsWith('-')) {
    const next = command.commands.find((sub) => sub.name() === words[0])
    if (next === undefined) break
    command = next
    words.shift()
  }
  const isGroup = command.commands.length > 0
  const [first] = words
  if (isGroup && first !== undefined && /^[a-z]/.test(first)) return `there is no "${first}"`
  return words.filter((word) => word.startsWith('--')).find((word) => !optionsOf(command).includes(word))
}

/** What "postern" alone does can be told without its name. */
function optionsOf(command: Command): readonly string[] {
  const serve = command.commands.find((sub) => sub.name() === 'serve')
  const own = command.createHelp().visibleOptions(command)
  return [...own, ...(serve?.options ?? [])].map(({ long }) => long ?? '')
}

test('a command that there is not would be found', () => {
  expect(['approve ID --yes', 'audit show --since 2h', '--transport http', 'outbox'].map(mistakeIn)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  expect(['aprove ID', 'approve ID --force', 'audit shown'].map(mistakeIn)).not.toContain(undefined)
})

test.each(PAGES)('the variables in $path exist', ({ text }) => {
  const named = [...text.matchAll(/\b(?:MAIL_IMAP|POSTERN|IMAP_MCP)_[A-Z_]*[A-Z]\b(?![*<_])/g)].map(([name]) => name)
  expect(named.filter((name) => !FOR_US.includes(name) && !isVariable(name))).toEqual([])
})

/** Of the bench and the tests. */
const FOR_US = ['POSTERN_BENCH_MESSAGES', 'POSTERN_BENCH_ROWS', 'POSTERN_EFFORT', 'POSTERN_SEED']

function isVariable(name: string): boolean {
  return name.startsWith('MAIL_IMAP_') ? straysIn({ [name]: 'x' }).length === 0 : isKnownVariable(name)
}

test('every variable that the program reads is explained', () => {
  const root = join(ROOT, 'src')
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  )
  const read = sources.flatMap((name) =>
    [...readFileSync(join(root, name), 'utf8').matchAll(/env\['([A-Z_]+)'\]/g)].map(([, variable = '']) => variable),
  )
  const explained = ['docs/configuration.md', 'docs/oauth.md'].map((path) => pageAt(path).text).join('\n')
  const ours = [...new Set(read)].filter((name) => /^(POSTERN|IMAP_MCP|MAIL_IMAP|DEV)_/.test(name))
  expect(ours.length).toBeGreaterThan(8)
  expect(ours.filter((name) => !explained.includes(name))).toEqual([])
})

test('every package is answered for', () => {
  const about = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, Record<string, string>>
  const names = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.keys(about[kind] ?? {}),
  )
  const page = pageAt('docs/dependencies.md').text
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  const kept = [...page.slice(0, page.indexOf('## Left out')).matchAll(/^\| (`[^|]+) \|/gm)].map(
    ([, cell = '']) => cell,
  )
  const said = kept.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
  expect(said.filter((name) => !names.includes(name) && !/^node-|^tools\//.test(name))).toEqual([])
})
