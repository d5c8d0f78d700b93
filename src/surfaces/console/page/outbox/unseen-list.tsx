/** What the recipients of a message will not see, before anything else of it. */
import type { JSX } from 'preact'
import type { LetterDetail } from '../api-types.ts'
import type { Unseen } from '../outgoing-types.ts'
import { Callout } from '../parts/callout.tsx'
import { Mail } from '../parts/mail.tsx'
import { count as countText } from '../times.ts'

const MOST_LISTED = 12
const LONGEST = 400

export function UnseenList({ letter: { unseen } }: { readonly letter: LetterDetail }): JSX.Element | null {
  if (unseen.length === 0) return null
  const more = unseen.slice(MOST_LISTED)
  return (
    <Callout tone="bad" title="Recipients will not see this, and it is sent with the message">
      <Items list={unseen.slice(0, MOST_LISTED)} />
      {more.length > 0 && (
        <details>
          <summary>and {countText(more.length)} more</summary>
          <Items list={more} />
        </details>
      )}
    </Callout>
  )
}

function Items({ list }: { readonly list: readonly Unseen[] }): JSX.Element {
  return (
    <ul class="unseen-list">
      {list.map(({ what, text, count }) => (
        <li key={what + text}>
          <strong>
            <Mail text={what} />
          </strong>
          {count > 1 && ` (${countText(count)} times)`}: <Mail text={text.slice(0, LONGEST)} />
          {text.length > LONGEST && ' … (in full below)'}
        </li>
      ))}
    </ul>
  )
}
