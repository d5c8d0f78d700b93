/**
 * What the attributes and style sheets of outgoing HTML hold.
 *
 * INVARIANT: an attribute is passed over only if its name says how an element looks and its value is of that kind; an attribute or
 * a sheet of any other form is a piece of its own.
 */
import type { HtmlPiece } from '../../../core/outbox/html-review.ts'
import { readResource } from '../links.ts'
import type { Attributes } from './nodes.ts'

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}

/** Fetched when the message is opened. */
const LOADING = names('src srcset imagesrcset background poster data lowsrc dynsrc classid codebase manifest')
const LOADING_HREF = names('link image use feimage base')
const LINKING = names('href xlink:href action formaction cite longdesc ping usemap profile')
/** How an element looks or is laid out. */
const LOOKS = names(
  'align valign width height border cellpadding cellspacing colspan rowspan bgcolor color face size dir lang xml:lang type ' +
    'start rel target class id role hspace vspace nowrap clear charset http-equiv media scope style link vlink alink text ' +
    'bordercolor leftmargin topmargin marginwidth marginheight rules frame noshade span',
)
const OFTEN_EMPTY = names(
  'alt title name value summary content hidden checked disabled selected readonly required multiple open reversed ismap async ' +
    'defer controls autoplay loop muted allowfullscreen',
)
/** Words, sizes, colours and fonts. Nothing that names an address, and no long run that could carry something. */
const PLAIN_VALUE = /^(?!.*\/\/)[\w\s#%.,;:()'"!/-]{0,2000}$/s
const LONGEST_RUN = 60
const MOST_NAMES = 10
/** In a style, what could hold a text or fetch something. */
const TELLING_STYLE = /\\|\/\*|\/\/|@import|url\(|src\(|image\(|image-set|content\s*:|--[\w-]+\s*:/i
const LONGEST_PICTURE = 80

export function attributePieces(tag: string, attributes: Attributes): HtmlPiece[] {
  const isRefresh = tag === 'meta' && attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh'
  return [...attributes].flatMap(([attribute, value]): HtmlPiece[] => {
    if (value.trim() === '') return isUsual(attribute) ? [] : [piece(attribute, tag)]
    const name = `${tag} ${attribute}`
    if (attribute === 'style') return [...loadsIn(value, name), ...(isPlain(value) ? [] : [piece(value, name)])]
    if (isRefresh && attribute === 'content') return [{ kind: 'load', text: value, name }]
    if (LOADING.has(attribute) || (LOADING_HREF.has(tag) && /^(?:xlink:)?href$/.test(attribute))) {
      return [loaded(value, name)]
    }
    if (LINKING.has(attribute)) return [{ kind: 'link', text: value, name }]
    return LOOKS.has(attribute) && isPlain(value) && isBrief(value) ? [] : [piece(value, name)]
  })
}

/** Any other name without a value is a text of its own. */
function isUsual(attribute: string): boolean {
  return [LOOKS, LOADING, LINKING, OFTEN_EMPTY].some((known) => known.has(attribute))
}

/** The sheet itself, and what it fetches. */
export function stylePieces(css: string): HtmlPiece[] {
  return [{ kind: TELLING_STYLE.test(css) ? 'style' : 'look', text: css, name: 'style' }, ...loadsIn(css, 'style')]
}

function isPlain(value: string): boolean {
  return PLAIN_VALUE.test(value) && !TELLING_STYLE.test(value) && value.split(/\s+/).every(isShort)
}

/** Classes and fonts are a few names; more of them could be a sentence. */
function isBrief(value: string): boolean {
  return value.trim().split(/\s+/).length <= MOST_NAMES
}

function isShort(word: string): boolean {
  return word.length <= LONGEST_RUN || /[:;]/.test(word)
}

function loaded(value: string, name: string): HtmlPiece {
  const isInside = !value.includes(',') && readResource(value) === 'inside'
  const isPicture = /^\s*data:image\/(?:png|gif|jpe?g|webp)[;,]/i.test(value) && !/srcset/.test(name)
  if (isPicture) return piece(`${value.trim().slice(0, LONGEST_PICTURE)}… (${value.length} characters)`, name)
  return isInside ? piece(value, name) : { kind: 'load', text: value, name }
}

const STYLE_LOADS = /(?:url|src|image)\(\s*(?:"([^"]*)"|'([^']*)'|([^)"']*))|@import\s+(?:"([^"]*)"|'([^']*)')/gi

function loadsIn(style: string, name: string): HtmlPiece[] {
  const found = [...style.matchAll(STYLE_LOADS)].map(
    (match) => match.slice(1).find((group) => group !== undefined) ?? '',
  )
  return found.filter((address) => readResource(address) !== 'inside').map((text) => ({ kind: 'load', text, name }))
}

function piece(text: string, name: string): HtmlPiece {
  return { kind: 'attribute', text, name }
}
