/** Text that stands in no text of the page: what inputs contain, what style sheets put before and after; and its direction. */
import { splitTopLevel } from '../css/scan.ts'
import type { Attributes } from './markup.ts'

const BUTTONS = new Set(['submit', 'button', 'reset'])
/** Inputs that show something other than their value, or only values of a certain form. */
const WORDLESS = new Set(
  'hidden checkbox radio file image range color password number date month week time datetime-local'.split(' '),
)
/** More than an input has room for. */
const ROOM = 80
const LONGEST_ATTRIBUTE = 2000

export interface InputText {
  readonly text: string
  /** Whether all of it can be seen without scrolling. */
  readonly fits: boolean
}

export function inputText(attributes: Attributes): InputText | undefined {
  const type = attributes.get('type')?.trim().toLowerCase() ?? ''
  const value = (attributes.get('value') ?? '').trim()
  if (value === '' || WORDLESS.has(type)) return undefined
  if (BUTTONS.has(type)) return { text: ` [${value}] `, fits: true }
  return { text: ` ${value} `, fits: value.length <= ROOM }
}

/** The words of `content`: its strings and the attributes it names, without what is said for screen readers. */
export function contentText(content: string | undefined, attributes: Attributes): string {
  if (content === undefined) return ''
  const [spoken = ''] = splitTopLevel(content, '/')
  return splitTopLevel(spoken.trim(), ' ')
    .map((word) => {
      const quoted = /^(["'])([\s\S]*)\1$/.exec(word)
      if (quoted !== null) return quoted[2] ?? ''
      const attribute = /^attr\(\s*([\w-]+)/i.exec(word)?.[1]?.toLowerCase()
      return attribute === undefined ? '' : (attributes.get(attribute) ?? '').slice(0, LONGEST_ATTRIBUTE)
    })
    .join('')
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/** Whether letters are made to run against their script, so that people read them from the other end. */
export function runsBackwards(
  text: string,
  look: { readonly direction: string; readonly overridden: boolean },
): boolean {
  return look.overridden && RIGHT_TO_LEFT.test(text) !== (look.direction === 'rtl')
}

export function reversed(text: string): string {
  return [...text].reverse().join('')
}
