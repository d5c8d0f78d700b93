/** Words of our own: what stands in quotation marks is to be typed, and so can be copied without them. */
import type { JSX } from 'preact'

export function Words({ text }: { readonly text: string }): JSX.Element {
  const pieces = text.split('"')
  return <>{pieces.map((piece, at) => (at % 2 === 1 ? <code key={at}>{piece}</code> : piece))}</>
}
