/**
 * A kind of action that does not say what it needs, where its folders are, how its result is redacted and how it is summarised
 * does not compile; neither does a field that names a folder or shows mail without saying so. Asked of the compiler itself.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

const NEEDS = 'core/decision/needs.ts'
const PLACES = 'core/decision/action-places.ts'
const REDACT = 'core/decision/redact.ts'
const SUMMARY = 'core/audit/summary.ts'

const RESULTS = readFileSync(join(ROOT, 'src/core/results.ts'), 'utf8')

type Change = readonly [file: string, before: string, after: string]

/** The files that do not compile once `src/core` is changed so, each with what the compiler says of it. */
async function complaints(changes: readonly Change[]): Promise<ReadonlyMap<string, string>> {
  const directory = mkdtempSync(join(tmpdir(), 'total-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  cpSync(join(ROOT, 'src/core'), join(directory, 'core'), { recursive: true })
  for (const [file, before, after] of changes) {
    const path = join(directory, file)
    const text = readFileSync(path, 'utf8')
    expect(text.split(before), `${before} in ${file}`).toHaveLength(2)
    writeFileSync(
      path,
      text.replace(before, () => after),
    )
  }
  const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'))
  const typeRoots = [join(ROOT, 'node_modules/@types')]
  const config = { compilerOptions: { ...compilerOptions, typeRoots }, files: [NEEDS, PLACES, REDACT, SUMMARY] }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  const said = await new Promise<string>((resolve) => {
    const args = [TSC, '--noEmit', '--pretty', 'false', '-p', directory]
    execFile(process.execPath, args, { cwd: directory }, (_error, stdout) => resolve(stdout))
  })
  const found = new Map<string, string>()
  for (const [, file = '', words = ''] of said.matchAll(/^(\S+)\(\d+,\d+\): error TS\d+: (.*(?:\n .*)*)/gm)) {
    found.set(file, `${found.get(file) ?? ''}${words}\n`)
  }
  return found
}

const MARK_SEEN = 'message: MessageRef; readonly seen: boolean }'
const KIND = "| { readonly kind: 'peek'; readonly message: MessageRef }"
const NEW_KIND: readonly Change[] = [
  ['core/action.ts', 'export type Action =\n', `export type Action =\n  ${KIND}\n`],
  [
    'core/results.ts',
    'export interface Results {\n',
    'export interface Results {\n  peek: { readonly text: string }\n',
  ],
]

test('as it is, all of it compiles', async () => {
  expect([...(await complaints([]))]).toEqual([])
})

test('a new kind of action is asked for by every table', async () => {
  const found = await complaints(NEW_KIND)
  expect([...found.keys()].toSorted()).toEqual([SUMMARY, PLACES, NEEDS, REDACT].toSorted())
  for (const [file, words] of found) expect(words, file).toContain('peek')
})

test.each<[string, string, readonly Change[]]>([
  [
    'a folder',
    'target',
    [['core/action.ts', MARK_SEEN, 'message: MessageRef; readonly seen: boolean; readonly target: Destination }']],
  ],
  [
    'a folder that may be absent',
    'target',
    [['core/action.ts', MARK_SEEN, 'message: MessageRef; readonly seen: boolean; readonly target?: Destination }']],
  ],
  [
    'messages in a list',
    'others',
    [
      [
        'core/action.ts',
        MARK_SEEN,
        'message: MessageRef; readonly seen: boolean; readonly others: readonly { readonly one: MessageRef }[] }',
      ],
    ],
  ],
])('%s in a field of any name has to be declared', async (_what, field, changes) => {
  const found = await complaints(changes)
  expect([...found.keys()]).toEqual([PLACES])
  expect(found.get(PLACES)).toContain(field)
})

const SHOWS_MAIL = [
  ...['BrowsedMessage', 'ListedMessage', 'FoundMessage', 'MessageView', 'AttachmentContent', 'FlagsChange'],
  ...['LabelsChange', 'SearchPage', 'BrowsePage', 'FoundMail'],
]

test('a new field of what shows mail has to say from which level it is shown', async () => {
  const added = SHOWS_MAIL.map((name): Change => {
    const [opening = ''] = new RegExp(`export interface ${name} [^\n]*\n`).exec(RESULTS) ?? []
    return ['core/results.ts', opening, `${opening}  readonly new${name}: string\n`]
  })
  const words = (await complaints(added)).get(REDACT)
  for (const name of SHOWS_MAIL) expect(words).toContain(`new${name}`)
})
