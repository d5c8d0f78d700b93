/** All that the message says: its text, its HTML version with what is hidden or fetched marked where it stands, and its source. */
import type { JSX } from 'preact'
import type { LetterDetail } from '../api-types.ts'
import type { HtmlPiece, HtmlVersion } from '../outgoing-types.ts'
import { Callout } from '../parts/callout.tsx'
import { MailBlock, writtenOut } from '../parts/mail.tsx'

export function LetterText({ letter }: { readonly letter: LetterDetail }): JSX.Element {
  const { html, text, presented, digest } = letter
  const isMarked = html?.pieces.some(({ kind }) => kind !== 'text') === true
  return (
    <>
      {html !== undefined && !html.isSameText && (
        <Callout tone="warn" title="The HTML version says something else. Most recipients read the HTML version." />
      )}
      {html !== undefined && (isMarked || !html.isSameText) && <Html html={html} />}
      <section>
        <h3>{html === undefined ? 'Text' : 'Text version'}</h3>
        <MailBlock text={text} />
        {html?.isSameText === true && !isMarked && <p class="soft">The HTML version says the same.</p>}
      </section>
      {html !== undefined && (
        <details>
          <summary>HTML source</summary>
          <div class="presented">
            <MailBlock text={html.source} />
          </div>
        </details>
      )}
      <details>
        <summary>The whole message, as the terminal shows it</summary>
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

function Html({ html: { pieces } }: { readonly html: HtmlVersion }): JSX.Element {
  return (
    <section>
      <h3>HTML version</h3>
      <div class="mail-block" dir="auto">
        {pieces.map((piece, at) => (
          <Piece key={at} piece={piece} />
        ))}
      </div>
    </section>
  )
}

/** A mark is an element, so that no text can look like one. */
function Piece({ piece: { kind, label, text } }: { readonly piece: HtmlPiece }): JSX.Element {
  if (kind === 'text') return <>{writtenOut(text)}</>
  return (
    <span class={`piece ${kind}`}>
      <strong>{label}</strong> <bdi>{writtenOut(text.replace(/^[ \n]+|[ \n]+$/g, ''))}</bdi>
    </span>
  )
}
