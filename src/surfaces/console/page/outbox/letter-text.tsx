/** What the letter says, as whoever gets it will read it. */
import type { JSX } from 'preact'
import type { LetterDetail } from '../api-types.ts'
import { Callout } from '../parts/callout.tsx'
import { MailBlock } from '../parts/mail.tsx'

/** What can be read is one thing, what is there another. */
function sameWords(holdsMore: boolean): string {
  return holdsMore
    ? 'Its HTML version reads the same, and holds more than can be read.'
    : 'Its HTML version says the same.'
}

export function LetterText({ letter }: { readonly letter: LetterDetail }): JSX.Element {
  const { html, sameText, text, hidden, presented, digest } = letter
  const differs = html !== undefined && sameText !== true
  return (
    <>
      {differs && (
        <section>
          <Callout tone="warn" title="Its HTML version says something else. Most people will read this one:" />
          <h3>HTML version</h3>
          <MailBlock text={html} />
        </section>
      )}
      <section>
        <h3>{differs ? 'Text version' : 'Text'}</h3>
        <MailBlock text={text} />
        {html !== undefined && !differs && <p class="soft">{sameWords(hidden.length > 0)}</p>}
      </section>
      <details>
        <summary>The whole letter, as the terminal shows it</summary>
        <div class="presented">
          <MailBlock text={presented} />
        </div>
      </details>
      <p class="digest soft">
        Digest <code>{digest}</code>
      </p>
    </>
  )
}
