import { expect, onTestFinished, test, vi } from 'vitest'
import { Failure } from '../../core/failure.ts'
import type { Bootstrapped, BootstrapSteps } from '../../engine/credentials/bootstrap.ts'
import { type OAuthChoice, type OAuthParts, runOAuth } from './oauth.ts'

const ALL: Bootstrapped = { missing: [], extra: [], mayWrite: true }

interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly opened: readonly string[]
}

async function said(
  run: (steps: BootstrapSteps, signal: AbortSignal) => Promise<Bootstrapped>,
  choice: Partial<OAuthChoice> = {},
  given: Partial<OAuthParts> = {},
): Promise<Said> {
  const [out, err, opened]: [string[], string[], string[]] = [[], [], []]
  const code = await runOAuth(
    { account: 'work', paste: false, ...choice },
    {
      run: (_, steps, signal) => run(steps, signal),
      terminal: { print: (text) => void out.push(text), complain: (text) => void err.push(text) },
      interactive: false,
      openBrowser: async (url) => opened.push(url) > 0,
      readLine: async () => 'http://127.0.0.1/callback?code=pasted',
      onStop: () => undefined,
      ...given,
    },
  )
  return { code, out: out.join(''), err: err.join(''), opened }
}

const showing = async ({ show }: BootstrapSteps): Promise<Bootstrapped> => {
  show('https://provider.example/auth?x=1')
  return ALL
}

test('the address is printed, and a browser is opened only for a person at a terminal', async () => {
  const piped = await said(showing)
  expect(piped).toMatchObject({ code: 0, err: '', opened: [] })
  expect(piped.out).toContain('\nhttps://provider.example/auth?x=1\n')
  expect(piped.out).toContain('Access to account work was granted')
  const seated = await said(showing, {}, { interactive: true })
  expect(seated.opened).toEqual(['https://provider.example/auth?x=1'])
})

test('with --paste nothing is opened, and what is pasted is handed on', async () => {
  let heard = ''
  const { opened, out } = await said(
    async ({ show, pasted, paste }, signal) => {
      show('https://provider.example/auth')
      heard = paste ? await pasted(signal) : ''
      return ALL
    },
    { paste: true },
    { interactive: true },
  )
  expect({ heard, opened }).toEqual({ heard: 'http://127.0.0.1/callback?code=pasted', opened: [] })
  expect(out).toContain('paste it here')
})

test('less, more and read-only are told, and what the provider calls its scopes is made harmless', async () => {
  const { code, out } = await said(async () => ({
    missing: ['mail.write'],
    extra: ['drive\u001b[31m', ...Array.from({ length: 20 }, (_, i) => `s${i}`)],
    mayWrite: false,
  }))
  expect(code).toBe(0)
  expect(out).toContain('less was granted than asked for; missing: mail.write')
  expect(out).toContain('more was granted than asked for: drive?[31m')
  expect(out).toContain('and 11 more')
  expect(out).toContain('only reads')
  expect(out).not.toContain('\u001b')
})

test('a failure is told and the exit code is 1', async () => {
  const { code, err, out } = await said(() => Promise.reject(new Failure('unsupported', 'the store is read-only')))
  expect({ code, err, out }).toEqual({ code: 1, err: 'postern: the store is read-only\n', out: '' })
})

const untilAborted = (_: BootstrapSteps, signal: AbortSignal): Promise<Bootstrapped> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

test('nobody is waited for without end, and Ctrl-C ends it', async () => {
  const late = await said(untilAborted, {}, { timeLimitMs: 20 })
  expect(late.code).toBe(1)
  expect(late.err).toContain('run the same command again')
  const stopped = await said(untilAborted, {}, { onStop: (stop) => void setTimeout(stop, 5) })
  expect(stopped).toMatchObject({ code: 1, err: 'postern: stopped; nothing was changed\n' })
})

test('a person has ten minutes to grant access', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let isOver = false
  const late = said(untilAborted).finally(() => {
    isOver = true
  })
  await vi.advanceTimersByTimeAsync(10 * 60_000 - 1)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await late).toMatchObject({ code: 1, err: expect.stringContaining('within 10 min') })
})
