import { expect, test } from 'vitest'
import { run } from './run.ts'

const bounds = { input: new Uint8Array(), env: {}, mostBytes: 100, patienceMs: 20_000 }
const node = (program: string, changed: Partial<typeof bounds> = {}) =>
  run(process.execPath, ['--eval', program], { ...bounds, ...changed })

test('gives back what was printed and how it ended', async () => {
  const input = new TextEncoder().encode('through the pipe')
  const ended = await node('process.stdin.pipe(process.stdout); console.error("told"); process.exitCode = 3', { input })
  expect(ended).toMatchObject({ code: 3, errors: 'told\n', stopped: undefined })
  expect(new TextDecoder().decode(ended.output)).toBe('through the pipe')
})

test('a program that does not end is ended', async () => {
  expect(await node('setInterval(() => {}, 1000)', { patienceMs: 1 })).toMatchObject({
    code: null,
    stopped: 'too_slow',
  })
})

test('a program that prints without end is ended', async () => {
  const ended = await node('for (;;) require("node:fs").writeSync(1, "x".repeat(1000))')
  expect(ended).toMatchObject({ code: null, stopped: 'too_large' })
})

test('a program that reads nothing does no harm', async () => {
  expect(await node('process.exit(4)', { input: new Uint8Array(10_000_000) })).toMatchObject({ code: 4 })
})

test('a program that is not there is told', async () => {
  await expect(run('no-such-program', [], bounds)).rejects.toMatchObject({ code: 'ENOENT' })
})
