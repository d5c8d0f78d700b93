/** What a page tried to hide, to load, to run or to pretend, counted. */
import type { Warning } from '../../../core/content.ts'
import { type LinkVerdict, readResource } from '../links.ts'
import { ACTIVE } from './elements.ts'
import type { Attributes } from './nodes.ts'
import { commentReadsLikeSentence, readsLikeSentence } from './prose.ts'

/** Attributes that hold anything but words. */
const WORDLESS = new Set(
  'style class id href src srcset data action content-type face xmlns background name type'.split(' '),
)
const LOADING = new Set([
  'src',
  'background',
  'poster',
  'data',
  'srcset',
  'imagesrcset',
  'lowsrc',
  'dynsrc',
  'longdesc',
  'ping',
  'xlink:href',
])
const LOADING_LINK = new Set(['link', 'image', 'use', 'feimage'])

/** So many texts beside the page are compared with it; further ones count as they are. */
const MOST_COMPARED = 50

export class Findings {
  readonly #asides: string[] = []
  #hidden = 0
  #uncertain = 0
  #remote = 0
  #active = 0
  #suspicious = 0
  #flooded = 0
  #incomplete = false

  hidden(): void {
    this.#hidden++
  }

  uncertain(): void {
    this.#uncertain++
  }

  flooded(): void {
    this.#flooded++
  }

  incomplete(): void {
    this.#incomplete = true
  }

  get isIncomplete(): boolean {
    return this.#incomplete
  }

  remote(count: number): void {
    this.#remote += count
  }

  aside(text: string): void {
    if (!readsLikeSentence(text)) return
    if (this.#asides.length < MOST_COMPARED) this.#asides.push(text)
    else this.#hidden++
  }

  comment(text: string): void {
    if (commentReadsLikeSentence(text)) this.#hidden++
  }

  link(verdict: LinkVerdict): void {
    if (verdict === 'suspicious') this.#suspicious++
    else if (verdict === 'active') this.#active++
  }

  element(name: string, attributes: Attributes): void {
    if (ACTIVE.has(name)) this.#active++
    if (attributes.size === 0) return
    if (name === 'meta' && attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh') this.#active++
    for (const [attribute, value] of attributes) {
      if (attribute.startsWith('on')) this.#active++
      else if (!WORDLESS.has(attribute)) this.aside(value)
      if (attribute === 'style') this.#styled(value)
      else if (LOADING.has(attribute) || (attribute === 'href' && LOADING_LINK.has(name))) this.#resource(value)
    }
  }

  #styled(style: string): void {
    if (/url\(/i.test(style)) for (const address of addressesInStyle(style)) this.#resource(address)
  }

  #resource(address: string): void {
    const verdict = readResource(address)
    if (verdict === 'suspicious') this.#suspicious++
    if (verdict !== 'inside') this.#remote++
  }

  /** A title or a caption that says what can be read anyway, in `shown`, hides nothing. */
  warnings(shown: string): Warning[] {
    const known = this.#asides.length === 0 ? '' : folded(shown)
    const unknown = this.#asides.filter((text) => !known.includes(folded(text)))
    const all: Warning[] = [
      { kind: 'hidden_text_removed', count: this.#hidden + unknown.length },
      { kind: 'uncertain_text', count: this.#uncertain },
      { kind: 'blank_flood_folded', count: this.#flooded },
      { kind: 'remote_content_removed', count: this.#remote },
      { kind: 'active_content_removed', count: this.#active },
      { kind: 'suspicious_link', count: this.#suspicious },
      { kind: 'content_incomplete', count: this.#incomplete ? 1 : 0 },
    ]
    return all.filter(({ count }) => count > 0)
  }
}

function folded(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function addressesInStyle(style: string): string[] {
  return [...style.matchAll(/url\(\s*["']?([^"')]{0,2000})/gi)].map((match) => match[1] ?? '')
}
