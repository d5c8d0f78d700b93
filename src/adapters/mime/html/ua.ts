/**
 * What browsers say about elements before any style sheet: the standard's own sheet (HTML §15) as far as it matters here, and the
 * attributes that say how an element looks.
 */
import { parseLegacyColour } from '../css/colour.ts'
import type { PageElement } from './nodes.ts'

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}

const BLOCKS = names(
  'html body address article aside blockquote center details dialog dd dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hgroup hr legend listing main menu nav ol optgroup option p plaintext pre search section ul xmp summary',
)
const DISPLAY: ReadonlyMap<string, string> = new Map([
  ['li', 'list-item'],
  ['table', 'table'],
  ['tr', 'table-row'],
  ['td', 'table-cell'],
  ['th', 'table-cell'],
  ['tbody', 'table-row-group'],
  ['thead', 'table-header-group'],
  ['tfoot', 'table-footer-group'],
  ['caption', 'table-caption'],
  ['col', 'table-column'],
  ['colgroup', 'table-column-group'],
  ...['button', 'input', 'select', 'textarea', 'meter', 'progress', 'marquee'].map((name): [string, string] => [
    name,
    'inline-block',
  ]),
])
/** Not shown unless a style sheet says so. */
const UNSHOWN = names(
  'head title meta link style script template datalist area base basefont param source track rp noembed noframes',
)
/** Painted by themselves. */
export const REPLACED = names('img svg iframe object embed video canvas input select textarea button marquee hr math')
/** Whose content is what browsers of another kind would show. */
export const FALLBACKS = names('iframe audio video embed meter progress noembed noframes')

export function defaultDisplay({ name, attributes, isHtml }: PageElement): string {
  if (!isHtml) return 'inline'
  if (name === 'template' && attributes.has('shadowrootmode')) return 'inline'
  const isHidden = attributes.has('hidden') && attributes.get('hidden')?.toLowerCase() !== 'until-found'
  if (UNSHOWN.has(name) || isHidden || attributes.has('popover')) return 'none'
  if (name === 'dialog' && !attributes.has('open')) return 'none'
  return DISPLAY.get(name) ?? (BLOCKS.has(name) ? 'block' : 'inline')
}

/** Whether a browser leaves the element out by itself. */
export function isUnshown({ name, isHtml }: PageElement): boolean {
  return isHtml && UNSHOWN.has(name)
}

const SIZES: ReadonlyMap<string, string> = new Map([
  ['h1', '2em'],
  ['h2', '1.5em'],
  ['h3', '1.17em'],
  ['h5', '0.83em'],
  ['h6', '0.67em'],
  ['small', 'smaller'],
  ['sub', 'smaller'],
  ['sup', 'smaller'],
  ['big', 'larger'],
  ['rt', '50%'],
  ...['tt', 'code', 'kbd', 'samp', 'pre', 'xmp', 'listing', 'plaintext'].map((name): [string, string] => [
    name,
    '0.8125em',
  ]),
  ...['button', 'input', 'select', 'textarea'].map((name): [string, string] => [name, '13.3px']),
])
const PREFORMATTED = names('pre xmp listing plaintext textarea')
const FONT_SIZES = ['x-small', 'small', 'medium', 'large', 'x-large', 'xx-large', 'xxx-large']
const COLOURED = names('body table thead tbody tfoot tr td th col colgroup marquee')

type Pairs = [string, string][]

/** What the element's name says, as declarations weaker than all of the author's. */
export function defaultsOf({ name, attributes, isHtml }: PageElement, linkColour: string): Pairs {
  const pairs: Pairs = []
  if (!isHtml) return pairs
  const size = SIZES.get(name)
  if (size !== undefined) pairs.push(['font-size', size])
  if (PREFORMATTED.has(name)) pairs.push(['white-space', name === 'textarea' ? 'pre-wrap' : 'pre'])
  if (name === 'center' || name === 'th' || name === 'caption') pairs.push(['text-align', 'center'])
  if (name === 'nobr') pairs.push(['white-space', 'nowrap'])
  if (name === 'mark') pairs.push(['background-color', '#ffff00'], ['color', '#000000'])
  if (name === 'a' && attributes.has('href')) pairs.push(['color', linkColour])
  if (name === 'button') pairs.push(['background-color', '#efefef'])
  if (CONTROLS.has(name))
    pairs.push(['color', '#000000'], ['line-height', 'normal'], ['text-indent', '0'], ['letter-spacing', 'normal'])
  if (name === 'bdo') pairs.push(['unicode-bidi', '?'])
  if (name === 'dialog') pairs.push(['position', 'absolute'])
  if (attributes.has('popover')) pairs.push(['position', 'fixed'])
  return pairs
}

const CONTROLS = names('button input select textarea')

/** What its attributes say. */
export function hintsOf({ name, attributes, isHtml }: PageElement): Pairs {
  const pairs: Pairs = []
  if (!isHtml || attributes.size === 0) return pairs
  for (const [attribute, value] of attributes) {
    const pair = hintOf(name, attribute, value)
    if (pair !== undefined) pairs.push(...pair)
  }
  return pairs
}

function hintOf(name: string, attribute: string, value: string): Pairs | undefined {
  switch (attribute) {
    case 'bgcolor':
      return COLOURED.has(name) ? colourHint('background-color', value) : undefined
    case 'background':
      return COLOURED.has(name) && value.trim() !== ''
        ? [['background-image', /^\s*data:/i.test(value) ? '?' : 'url(web)']]
        : undefined
    case 'text':
      return name === 'body' ? colourHint('color', value) : undefined
    case 'color':
      return name === 'font' ? colourHint('color', value) : undefined
    case 'size':
      return name === 'font' ? fontSize(value) : undefined
    case 'face':
      return name === 'font' && /wingding|webding|symbol|dingbat/i.test(value) ? [['font-family', '?']] : undefined
    case 'dir':
      return /^rtl$/i.test(value) ? [['direction', 'rtl']] : /^auto$/i.test(value) ? [['direction', '?']] : undefined
    case 'nowrap':
      return name === 'td' || name === 'th' ? [['white-space', 'nowrap']] : undefined
    case 'align':
      return name === 'table' || name === 'img'
        ? floating(value)
        : [
            [
              'text-align',
              /^\s*(?:left|justify)/i.test(value) ? 'left' : /^\s*(?:center|middle)/i.test(value) ? 'center' : 'right',
            ],
          ]
    case 'width':
    case 'height':
      return sizeHint(name, attribute, value)
    case 'cellspacing':
    case 'cellpadding':
      return Number.parseFloat(value) > 60 ? [['other', '?']] : undefined
    default:
      return MARGINS.has(attribute) && (/^\s*-/.test(value) || Number.parseFloat(value) > 100)
        ? [['margin-top', '?']]
        : undefined
  }
}

const MARGINS = names('hspace vspace marginwidth marginheight leftmargin topmargin rightmargin bottommargin')
const SIZED = names('table td th tr img hr iframe object embed video canvas marquee input col')

function floating(value: string): Pairs | undefined {
  const side = value.trim().toLowerCase()
  if (side === 'center')
    return [
      ['margin-left', 'auto'],
      ['margin-right', 'auto'],
    ]
  return side === 'left' || side === 'right' ? [['float', side]] : undefined
}

function colourHint(property: string, value: string): Pairs | undefined {
  const colour = parseLegacyColour(value)
  return colour === undefined ? undefined : [[property, `rgb(${colour.red},${colour.green},${colour.blue})`]]
}

/** HTML §2.3.4.4: digits, perhaps a point, perhaps a per cent sign; the rest is ignored. */
function sizeHint(name: string, attribute: string, value: string): Pairs | undefined {
  const match = /^[ \t\n\r\f]*\+?(\d+(?:\.\d+)?)(%?)/.exec(value)
  if (!SIZED.has(name) || match === null || (Number(match[1]) === 0 && name !== 'marquee' && name !== 'img'))
    return undefined
  return [[attribute, `${match[1]}${match[2] === '' ? 'px' : '%'}`]]
}

function fontSize(value: string): Pairs | undefined {
  const match = /^[ \t\n\r\f]*([+-]?)(\d{1,9})/.exec(value)
  if (match === null) return undefined
  const step = match[1] === '' ? Number(match[2]) : 3 + Number(`${match[1]}${match[2]}`)
  return [['font-size', FONT_SIZES[Math.min(7, Math.max(1, step)) - 1] ?? 'medium']]
}
