/**
 * Decides again and again, in turns: our compiled folder policy and Cedar, on the same twenty rules and messages. Prints
 * decisions per second as JSON. A process of its own, because Cedar's hot loop wants a flag of V8's.
 *
 * INVARIANT: both must come to the same level for every message before anything is timed.
 */
import { strictEqual } from 'node:assert'
import * as cedar from '@cedar-policy/cedar-wasm/nodejs'
import type { Facts } from '../src/core/policy/facts.ts'
import { compileFolder } from '../src/core/policy/folder.ts'

const RULES = 20
const ROUNDS = 12
const ROUND_MS = 150
const SET = 'bench'

const domains = Array.from({ length: RULES }, (_, index) => `sender${index}.example`)
const messages = Array.from({ length: 200 }, (_, index) => ({
  domain: `sender${index % (2 * RULES)}.example`,
  size: 500 + index * 40,
}))
const facts = messages.map(
  ({ domain, size }): Facts => ({
    from: [`someone@${domain}`],
    to: [],
    subjects: [''],
    flagged: false,
    size,
    received: 0,
  }),
)

const folder = compileFolder({
  path: 'INBOX',
  mode: 'whitelist',
  default: 'NONE',
  capabilities: [],
  rules: domains.map((domain, index) => ({
    match: { from_domain: domain, ...(index % 2 === 0 && { size_lt: 6000 }) },
    level: 'FULL',
  })),
})

const policies = domains.map(
  (domain, index) =>
    `permit(principal, action == Action::"read", resource) when { context.domain == "${domain}"${index % 2 === 0 ? ' && context.size < 6000' : ''} };`,
)
strictEqual(cedar.preparsePolicySet(SET, { staticPolicies: policies.join('\n') }).type, 'success')

const calls = messages.map(({ domain, size }) => ({
  principal: { type: 'Caller', id: 'bot' },
  action: { type: 'Action', id: 'read' },
  resource: { type: 'Message', id: '1' },
  context: { domain, size },
  preparsedPolicySetId: SET,
  entities: [],
}))

const ours = (index: number): boolean => folder.verdict(facts[index] as Facts, 1).level === 'FULL'
const theirs = (index: number): boolean => {
  const answer = cedar.statefulIsAuthorized(calls[index] as cedar.StatefulAuthorizationCall)
  return answer.type === 'success' && answer.response.decision === 'allow'
}

for (const index of messages.keys()) strictEqual(ours(index), theirs(index))

const rates = { ours: [] as number[], cedar: [] as number[] }
for (let round = -2; round < ROUNDS; round += 1) {
  const figures = { ours: rate(ours), cedar: rate(theirs) }
  if (round < 0) continue
  rates.ours.push(figures.ours)
  rates.cedar.push(figures.cedar)
}
process.stdout.write(JSON.stringify(rates))

function rate(decide: (index: number) => boolean): number {
  const began = performance.now()
  let decided = 0
  while (performance.now() - began < ROUND_MS) {
    for (const index of messages.keys()) decide(index)
    decided += messages.length
  }
  return decided / ((performance.now() - began) / 1000)
}
