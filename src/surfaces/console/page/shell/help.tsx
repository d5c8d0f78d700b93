/** Which keys do what. */
import type { JSX } from 'preact'
import { useKeySwitch } from '../keys.ts'
import { Dialog } from '../parts/dialog.tsx'
import { PAGES } from '../route.ts'
import { TITLES } from './navigation.tsx'

const KEYS: readonly (readonly [string, string])[] = [
  ['j or ↓', 'next letter'],
  ['k or ↑', 'previous letter'],
  ['Enter', 'open the letter'],
  ['a', 'approve the open letter (asks first)'],
  ['r', 'reject the open letter (asks for a reason)'],
  ['t', 'make a plain text version of the open message (asks first)'],
  ['h', 'make a version without hidden content (asks first)'],
  ['l', 'outcome unknown: look for the message in Sent'],
  ['s or n', 'outcome unknown: record it as sent or not sent'],
  ['Esc', 'back'],
  [`1 to ${PAGES.length}`, PAGES.map((page) => TITLES[page]).join(', ')],
  ['?', 'this help'],
]

export function Help({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [on, turn] = useKeySwitch()
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={on} onChange={(event) => turn(event.currentTarget.checked)} />
        Single keys do something
      </label>
      <div class="actions">
        <button type="button" onClick={onClose} data-first>
          Close
        </button>
      </div>
    </Dialog>
  )
}
