/** `trusted` of a policy: whom anything may be written to without asking, addresses or whole domains. */
import { domainIn } from '../../core/policy/normal-form.ts'
import { type Reading, readValue } from '../../core/policy/values.ts'
import type { Fields } from './fields.ts'
import type { Node } from './node.ts'
import type { Findings } from './problems.ts'

const MOST = 10_000
const EXPECTED = 'an address such as alice@example.com, or "@example.com" in quotes for everybody there'

/** Where anybody can have an address, such a domain is no circle of people. */
const OPEN_TO_ALL = new Set(
  (
    'aol.com fastmail.com gmail.com gmx.com gmx.de gmx.net googlemail.com hotmail.com icloud.com live.com mail.com mail.ru ' +
    'me.com msn.com outlook.com proton.me protonmail.com qq.com web.de yahoo.com yandex.ru ymail.com zoho.com 163.com'
  ).split(' '),
)

/** In their normal form, each once. */
export function readTrusted(fields: Fields, findings: Findings): readonly string[] {
  const items = fields.items('trusted') ?? []
  if (items.length > MOST) fields.problem('trusted', `there are more than ${MOST} entries; write fewer instead`)
  const read = items.slice(0, MOST).flatMap((item) => {
    const reading = readEntry(item)
    if (reading.ok) return [{ entry: reading.value, at: item.at }]
    findings.problem(item.at, `an entry of trusted cannot be read; write ${reading.expected}`)
    return []
  })
  const all = new Set(read.map(({ entry }) => entry))
  const told = new Set<string>()
  for (const { entry, at } of read) {
    const warning = warningOn(entry, all, told)
    if (warning !== undefined) findings.warn(at, warning)
    told.add(entry)
  }
  return [...all]
}

function readEntry(item: Node): Reading<string> {
  const raw = item.kind === 'scalar' && typeof item.value === 'string' ? item.value.trim() : ''
  const isDomain = /^@[^@\s]+$/.test(raw)
  const address = readValue('address', isDomain ? `x${raw}` : raw)
  // An address may be odd; whom it trusts may not: no wildcard, before the sign or behind it.
  const isPlain = address.ok && !raw.startsWith('*') && readValue('domain', domainIn(address.value)).ok
  if (!isPlain) return { ok: false, expected: EXPECTED }
  return { ok: true, value: isDomain ? `@${domainIn(address.value)}` : address.value }
}

function warningOn(entry: string, all: ReadonlySet<string>, before: ReadonlySet<string>): string | undefined {
  const domain = domainIn(entry)
  if (before.has(entry)) return 'this entry is listed already'
  if (!entry.startsWith('@') && all.has(`@${domain}`)) return 'this entry has no effect beside the one for its domain'
  return entry.startsWith('@') && OPEN_TO_ALL.has(domain)
    ? 'anybody can have an address at this domain, so this trusts everybody; list the addresses that are meant'
    : undefined
}
