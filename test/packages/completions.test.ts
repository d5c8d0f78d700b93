/** Completions, by the shells that are here. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram } from '../doctor/scene.ts'
import { emptyFolder, surroundings } from './installed.ts'

async function script(shell: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(['completions', shell], surroundings(emptyFolder()))
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

/** What bash offers for a line, the last word of which is under the cursor. */
function offered(file: string, line: string, cwd: string): string[] {
  const ask = `source "$1"
    read -ra COMP_WORDS <<< "$2"; [[ "$2" == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); compopt() { :; }; _postern; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', ask, 'bash', file, line], { cwd, encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((word) => word !== '')
}

test('bash completes commands, options and their values', async () => {
  const folder = emptyFolder()
  const file = join(folder, 'postern.bash')
  writeFileSync(file, await script('bash'))
  const complete = (line: string): string[] => offered(file, line, folder)
  expect(complete('postern ou')).toEqual(['outbox'])
  expect(complete('postern ')).toEqual(expect.arrayContaining(['doctor', 'check', 'serve', '--transport', '--help']))
  expect(complete('postern audit ')).toEqual(expect.arrayContaining(['verify', 'show']))
  expect(complete('postern audit ')).not.toContain('doctor')
  expect(complete('postern audit show --de')).toEqual(['--decision'])
  expect(complete('postern --transport ')).toEqual(['stdio', 'http'])
  expect(complete('postern serve --transport h')).toEqual(['http'])
  expect(complete('postern transfers retry --a')).toEqual(['--all'])
  expect(complete('postern doctor --')).toEqual(expect.arrayContaining(['--config', '--json']))
  expect(complete('postern explain --caller ')).toEqual([])
  expect(complete('postern check --config ./')).toEqual([])
})

test('every command and option of the help is in each of them', async () => {
  const { stdout: help } = await runProgram(['--help'], surroundings(emptyFolder()))
  const commands = [...help.matchAll(/^ {2}([a-z]+)(?= .* {2}|\s*$)/gm)].map((match) => match[1] ?? '')
  expect(commands).toEqual(expect.arrayContaining(['doctor', 'serve', 'outbox', 'audit']))
  for (const shell of ['bash', 'zsh', 'fish']) {
    const text = await script(shell)
    for (const command of commands.filter((name) => name !== 'postern'))
      expect(text).toMatch(new RegExp(`\\b${command}\\b`))
    expect(text).toContain('decision')
  }
})

test.each(['zsh', 'fish'])('%s takes them, where it is here', async (shell) => {
  const text = await script(shell)
  const { error, status } = spawnSync(shell, ['-n'], { input: text })
  if (error === undefined) expect(status).toBe(0)
})

test('a shell that is none of them is refused', async () => {
  const { code, stderr } = await runProgram(['completions', 'powershell'], surroundings(emptyFolder()))
  expect([code, stderr]).toEqual([1, expect.stringContaining('bash, zsh, fish')])
})
