import { expect, test } from 'vitest'
import { type Commands, runProgram } from './program.ts'

async function help(words: readonly string[] = [], name?: string): Promise<string> {
  let printed = ''
  const print = (text: string): void => {
    printed += text
  }
  const terminal = { print, complain: () => undefined }
  // Nothing is run: help is all that is asked for.
  const commands = new Proxy({} as Commands, { get: () => async () => 0 })
  expect(await runProgram([...words, '--help'], '1.2.3', commands, terminal, name)).toBe(0)
  return printed
}

test('the help teaches: commands by what they are for, then examples', async () => {
  await expect(await help()).toMatchFileSnapshot('./help.snap')
})

test('every command has a place in it, and every example is a command', async () => {
  const text = await help()
  expect(text).not.toMatch(/^More:$/m)
  const [commands = '', examples = ''] = text.split('\nExamples\n')
  const known = [...commands.matchAll(/^ {2}([a-z]+) /gm)].map((match) => match[1])
  const used = [...examples.matchAll(/^ {4}postern ([a-z]+)/gm)].map((match) => match[1] ?? '')
  expect(used.length).toBeGreaterThan(8)
  expect(used.filter((word) => !known.includes(word))).toEqual([])
})

test('it is written as this person types it', async () => {
  const text = await help([], 'npx postern')
  expect(text).toMatch(/^Usage: npx postern \[options\] \[command\]$/m)
  expect(text).toMatch(/^ {4}npx postern setup {2,}your address/m)
  expect(text).toMatch(/MAIL_IMAP_DEFAULT_PASS=… npx postern$/m)
  expect(text).not.toMatch(/(?<!npx )\bpostern\b/)
  expect(await help(['transfers', 'retry'], 'npx postern')).toMatch(/^Usage: npx postern transfers retry /m)
})
