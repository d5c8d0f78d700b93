import { expect, test } from 'vitest'
import { agentFor, type KnownAgents } from './agent.ts'

const NOBODY: KnownAgents = { accounts: [], callers: [], policies: [] }
const known = (sends: boolean, canSend: boolean): KnownAgents => ({
  accounts: [{ id: 'work', canSend }],
  callers: [{ id: 'helper', policy: 'p', sends, accounts: ['work'] }],
  policies: ['p'],
})
const account = (sends: boolean, kind: 'imap-standard' | 'google' = 'imap-standard') => ({ id: 'home', kind, sends })

test('the first account goes to a new agent', () => {
  expect(agentFor(NOBODY, undefined, account(true))).toEqual({ caller: 'agent', policy: 'agent', sends: true })
  expect(agentFor({ ...NOBODY, policies: ['agent'] }, undefined, account(false)).policy).toBe('agent-2')
})

test('the next one goes to the only agent there is, or to the one that was named', () => {
  expect(agentFor(known(true, true), undefined, account(true))).toEqual({ caller: 'helper', policy: 'p', sends: true })
  expect(agentFor(known(true, true), 'other', account(false))).toEqual({
    caller: 'other',
    policy: 'other',
    sends: false,
  })
})

test('one account never lets another send', () => {
  expect(() => agentFor(known(false, true), undefined, account(true))).toThrow(/--caller/)
  expect(agentFor(known(false, false), undefined, account(true)).sends).toBe(true)
})

test('an account that is not to send cannot be with an agent that may, if its provider sends by itself', () => {
  expect(() => agentFor(known(true, true), undefined, account(false, 'google'))).toThrow(/--caller/)
  expect(agentFor(known(true, true), undefined, account(false)).sends).toBe(true)
  expect(agentFor(known(true, false), undefined, account(false, 'google')).sends).toBe(false)
})

test('an account that is changed does not stand in its own way', () => {
  const own = { id: 'work', kind: 'google', sends: false } as const
  expect(agentFor(known(true, true), undefined, own)).toMatchObject({ sends: false })
  expect(agentFor(known(false, true), undefined, { ...own, sends: true })).toMatchObject({ sends: true })
})
