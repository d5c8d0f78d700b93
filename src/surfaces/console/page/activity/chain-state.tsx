/** Whether the record is whole. */
import type { JSX } from 'preact'
import type { Chain } from '../api-types.ts'
import { typed } from '../client.ts'
import { Badge } from '../parts/badge.tsx'
import { Mail } from '../parts/mail.tsx'
import { Moment } from '../parts/moment.tsx'
import { plural } from '../times.ts'

export function ChainState({ chain }: { readonly chain: Chain | undefined }): JSX.Element {
  return (
    <p class="chain">
      {chain === undefined ? <span class="soft">Checking the record…</span> : <Words chain={chain} />}
    </p>
  )
}

function Words({ chain: { state, checkedUpTo, checkedAt, firstBad } }: { readonly chain: Chain }): JSX.Element {
  const checked = checkedUpTo === undefined ? '' : `${plural(checkedUpTo, 'record')} checked`
  switch (state) {
    case 'ok':
      return (
        <>
          <Badge tone="good">the record is whole</Badge>{' '}
          <span class="soft">
            {checked}
            {checkedAt !== undefined && (
              <>
                {' '}
                <Moment at={checkedAt} />
              </>
            )}
          </span>
        </>
      )
    case 'broken':
      return (
        <>
          <Badge tone="bad">the record was changed</Badge>{' '}
          <span>
            {firstBad !== undefined && <Mail text={firstBad} />} See <code>{typed('audit verify')}</code>.
          </span>
        </>
      )
    case 'unknown':
      return (
        <>
          <Badge tone="calm">not checked</Badge>{' '}
          <span class="soft">
            <code>{typed('audit verify')}</code> checks the whole record.
          </span>
        </>
      )
  }
}
