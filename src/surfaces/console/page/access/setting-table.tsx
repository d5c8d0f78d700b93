/** Which settings would change: now and then. */
import type { JSX } from 'preact'
import type { SettingChange } from '../api-types.ts'
import { Badge, type Tone } from '../parts/badge.tsx'
import { Callout } from '../parts/callout.tsx'
import { Mail } from '../parts/mail.tsx'

const EFFECTS: Readonly<Record<SettingChange['effect'], readonly [string, Tone]>> = {
  more: ['allows more', 'warn'],
  less: ['allows less', 'good'],
  other: ['changes', 'calm'],
}

/** Said before everything else. */
export function Dangers({ settings }: { readonly settings: readonly SettingChange[] }): JSX.Element {
  const dangers = Map.groupBy(settings, ({ danger }) => danger)
  return (
    <>
      {[...dangers].map(
        ([danger, some]) =>
          danger !== undefined && (
            <Callout key={danger} tone="bad" title={danger}>
              <p>
                For <Mail text={[...new Set(some.map(({ caller }) => caller))].join(', ')} />.
              </p>
            </Callout>
          ),
      )}
    </>
  )
}

export function SettingTable({ settings }: { readonly settings: readonly SettingChange[] }): JSX.Element {
  return (
    <table class="cards">
      <caption class="unseen">Settings that would change</caption>
      <thead>
        <tr>
          <th scope="col">Caller</th>
          <th scope="col">Setting</th>
          <th scope="col">Now</th>
          <th scope="col">Then</th>
        </tr>
      </thead>
      <tbody>
        {settings.map((change, at) => (
          <Row key={at} change={change} />
        ))}
      </tbody>
    </table>
  )
}

function Row({
  change: { caller, account, mailbox, setting, before, after, effect, danger },
}: {
  readonly change: SettingChange
}): JSX.Element {
  const [words, tone] = danger === undefined ? EFFECTS[effect] : (['dangerous', 'bad'] as const)
  return (
    <tr>
      <td data-name="Caller">
        <Mail text={caller} />
      </td>
      <td data-name="Setting">
        <strong>{setting}</strong> <Badge tone={tone}>{words}</Badge>
        {account !== undefined && (
          <span class="soft beneath">
            {mailbox !== undefined && (
              <>
                <Mail text={mailbox} />,{' '}
              </>
            )}
            <Mail text={account} />
          </span>
        )}
      </td>
      <td data-name="Now">
        <Mail text={before} />
      </td>
      <td data-name="Then">
        <Mail text={after} />
      </td>
    </tr>
  )
}
