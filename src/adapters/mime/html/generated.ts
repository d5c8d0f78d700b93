/** Text that stands in attributes or styles and shows on the page: what inputs contain, what takes the place of a picture, list markers. */
import { tokenize } from '../css/tokens.ts'
import type { Attributes, PageElement } from './nodes.ts'

const BUTTONS = new Set(['submit', 'button', 'reset'])
/** Inputs that show something other than their value, or only values of a certain form. */
const WORDLESS = new Set(
  'hidden checkbox radio file range color password number date month week time datetime-local'.split(' '),
)
/** An input is 20 characters wide. */
const ROOM = 16
/** A smaller picture has no room for words. */
const LEAST_PICTURE = 20
const LONGEST = 500

const SHOWN_STRINGS =
  /(?:list-style(?:-type)?|quotes|(?:additive-)?symbols|prefix|suffix|--[\w-]+)\s*:([^;{}]*["'][^;{}]*)/gi

/** The words of styles that may show in markers, counters, quotation marks and variables. Whether they do is not computed. */
export function wordsOfStyles(css: string): readonly string[] {
  if (!/["']/.test(css)) return []
  return [...css.matchAll(SHOWN_STRINGS)]
    .flatMap(([, value = '']) => tokenize(value).list)
    .flatMap(({ kind, text }) => (kind === 'string' && /[\p{L}\p{N}]/u.test(text) ? [text] : []))
}

export interface OwnText {
  readonly text: string
  /** Whether all of it can be seen. */
  readonly fits: boolean
}

/** What an element shows of its attributes, if it does. */
export function ownText({ name, attributes, content }: PageElement): OwnText | undefined {
  switch (name) {
    case 'img':
      return altText(attributes)
    case 'input':
      return inputText(attributes)
    case 'option':
      return unsure(attributes.get('label'))
    case 'textarea':
      return content.length === 0 ? unsure(attributes.get('placeholder')) : undefined
    case 'iframe':
      return unsure(
        attributes.get('srcdoc')?.replace(/<[^>]*>/g, ' ') ??
          (/^\s*data:[^,]*,(.*)/is.exec(attributes.get('src') ?? '')?.[1] ?? '').replace(/<[^>]*>|%\w\w/g, ' '),
      )
    default:
      return undefined
  }
}

function unsure(text: string | undefined): OwnText | undefined {
  return text === undefined || text.trim() === ''
    ? undefined
    : { text: ` ${text.trim().slice(0, LONGEST)} `, fits: false }
}

function inputText(attributes: Attributes): OwnText | undefined {
  const type = attributes.get('type')?.toLowerCase() ?? ''
  const value = (attributes.get('value') ?? '').trim()
  if (type === 'image') return unsure(attributes.get('alt') ?? value)
  if (WORDLESS.has(type)) return undefined
  if (BUTTONS.has(type)) return value === '' ? undefined : { text: ` [${value}] `, fits: true }
  if (value === '') return unsure(attributes.get('placeholder'))
  return { text: ` ${value} `, fits: value.length <= ROOM && !attributes.has('size') }
}

/** Pictures are not loaded: browsers show what is written for them, unless they are too small for words. */
function altText(attributes: Attributes): OwnText | undefined {
  const alt = (attributes.get('alt') ?? '').replace(/\s+/g, ' ').trim()
  if (['src', 'srcset'].some((name) => /data:/i.test(attributes.get(name) ?? ''))) return undefined
  if (!attributes.has('alt')) return unsure(attributes.get('title'))
  if (!/[\p{L}\p{N}]/u.test(alt)) return undefined
  const isTiny = ['width', 'height'].some((name) => Number.parseFloat(attributes.get(name) ?? '999') < LEAST_PICTURE)
  return { text: `[image: ${alt.slice(0, LONGEST)}]`, fits: !isTiny }
}
