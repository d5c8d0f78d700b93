/**
 * What of a page a person sees.
 *
 * INVARIANT: a text is `visible` only if all that applies to it and its ancestors is understood and leaves it visible, and if nothing on
 * the page could be painted over it. In normal flow boxes do not overlap, and the backgrounds of blocks are painted below all text (CSS 2.1
 * appendix E); so text is covered only where a box leaves its place: by its position, a negative margin, a transform, a size that its content
 * exceeds, lines closer than their letters, or a shadow or outline. Each of these is a doubt about the whole page.
 */
import { type Colour, difference, over, WHITE } from '../css/colour.ts'
import { type Backdrop, type Background, painted, textPaint, together } from './background.ts'
import { Layout, type Place, WHOLE_WINDOW } from './layout.ts'
import type { Look } from './look.ts'
import { Looks } from './looks.ts'
import { fittingParts } from './measure.ts'
import { PageElement, PageText } from './nodes.ts'
import { holdsText, innerOf } from './structure.ts'
import { lineHeight } from './text-look.ts'
import type { PageTree } from './tree.ts'
import { REPLACED } from './ua.ts'

export interface Verdict {
  readonly kind: 'visible' | 'hidden' | 'uncertain'
  readonly reason: string
  /** Texts of the same piece share it. */
  readonly piece: object
}

/** Around an element, down from the page. */
interface Scene extends Place {
  readonly hidden: Verdict | undefined
  readonly doubt: Verdict | undefined
  readonly backdrop: Backdrop
  /** That of the nearest box: what stands behind a block inside of a line. */
  readonly flow: Backdrop
  readonly mayLoad: boolean
  /** What is painted through the text's own shapes. */
  readonly shape: Background | undefined
  readonly opacity: number
  /** The most that it may be. */
  readonly mostOpacity: number
  /** What lies below the box itself, and below all boxes that may be shorter than a float in them. */
  readonly below: Backdrop
  readonly loose: Backdrop
  /** Other readers' windows may show what is hidden here. */
  readonly differs: boolean
}

const VISIBLE: Verdict = { kind: 'visible', reason: '', piece: {} }
const LEAST_SIZE = 6
const SAME = 6
/** How wide a box may be for the text at its left to be read, and how far right its text may start. */
const WIDEST = 820
const FURTHEST = 480
/** Of text of the usual size; the strokes of smaller text are paler than its colour. */
const APART = 44
const USUAL_SIZE = 16
const ALWAYS_HIDDEN = /^(?:unshown|option|details|video|audio|embed|meter|progress)$/
const PAGE: Scene = {
  ...{ hidden: undefined, doubt: undefined, backdrop: [WHITE], flow: [WHITE], below: [WHITE], loose: [WHITE] },
  ...{ ...WHOLE_WINDOW, mayLoad: false, shape: undefined, opacity: 1, mostOpacity: 1, differs: false },
}

export class Judge {
  readonly #looks: Looks
  readonly #layout: Layout
  readonly #verdicts = new Map<PageText | PageElement, Verdict>()
  readonly #parts = new Map<PageText, readonly PageText[]>()
  /** The width of the word that is not yet over. */
  #run = 0
  /** Something before this place may be painted over what follows. */
  #before = false
  readonly #anchored = new Set<PageElement>()
  /** Elements from which on that is so. */
  readonly #starts = new Set<PageElement>()
  #page: string | undefined

  constructor(tree: PageTree) {
    this.#looks = new Looks(tree)
    this.#layout = new Layout(this.#looks)
    this.#page = this.#looks.sheetDoubt ?? (tree.isDisputed ? 'select' : undefined)
    for (const { element, look } of this.#looks.reaching) this.#anchor(element, look)
    for (const child of tree.root.children) this.#judge(child, PAGE)
    for (const { element, look } of this.#looks.reaching) if (this.#reaches(element, look)) this.#page ??= look.reach
  }

  /** Whether an element may be painted over others. */
  #reaches(element: PageElement, look: Look): boolean {
    if (look.isPushing) return true
    if (this.#isAway(element, look) || this.#anchored.has(element)) return false
    return this.#layout.paints(element)
  }

  /** What starts in its own place, or in that of a box in the flow, is painted over nothing that stands before it. */
  #anchor(element: PageElement, look: Look): void {
    if (look.isPushing || this.#looks.hasFloats || !(look.isInPlace || look.isDownward)) return
    let start: PageElement | undefined = element
    if (!look.isInPlace) start = element.parent
    while (start !== undefined && start !== element && !this.lookOf(start).isPlaced) start = start.parent
    if (start === undefined || (start !== element && this.lookOf(start).reach !== undefined)) return
    this.#anchored.add(element)
    if (this.#layout.paints(element)) this.#starts.add(start)
  }

  /** Whether it ends before the left of the page begins. */
  #isAway(element: PageElement, look: Look): boolean {
    if (look.away === 0) return false
    let isPlaced = false
    for (let above = element.parent; above !== undefined; above = above.parent) isPlaced ||= this.lookOf(above).isPlaced
    return !isPlaced && this.#layout.measure.wholeWidth(element) + 50 < look.away
  }

  lookOf(element: PageElement): Look {
    return this.#looks.of(element)
  }

  /** Of a text, or of an element as a whole. */
  of(node: PageText | PageElement): Verdict {
    const found = this.#verdicts.get(node) ?? VISIBLE
    if (found.kind === 'hidden' && this.#looks.sheetDoubt !== undefined && !ALWAYS_HIDDEN.test(found.reason))
      return { ...found, kind: 'uncertain' }
    return found.kind === 'visible' && this.#page !== undefined
      ? { kind: 'uncertain', reason: this.#page, piece: this }
      : found
  }

  #judge(element: PageElement, around: Scene): void {
    const look = this.lookOf(element)
    this.#before ||= this.#starts.has(element)
    const scene = this.#sceneOf(element, look, around)
    this.#verdicts.set(element, scene.hidden ?? scene.doubt ?? VISIBLE)
    if (OWN_TEXT.has(element.name)) this.#verdicts.set(element, this.#ownVerdict(look, scene, element))
    const inner = innerScene(element, scene)
    const before = this.#run
    const isOnLine = !look.isBox || look.display.startsWith('inline-')
    const isBroken = element.name === 'br' || (look.isBox && !isOnLine)
    if (look.isBox || isBroken || REPLACED.has(element.name)) this.#run = 0
    for (const node of element.content) {
      if (node instanceof PageElement) this.#judge(node, inner)
      else if (/\S/.test(node.text)) this.#judgeText(node, look, inner, element)
      else this.#run = 0
    }
    if (isBroken) this.#run = 0
    else if (look.isBox || REPLACED.has(element.name))
      this.#run = this.#isUnbroken(element) ? before + this.#layout.measure.inlineWidth(element) : 0
    if (element.name === 'details' && !element.attributes.has('open')) this.#hideOwnText(element)
  }

  /** Whether the line cannot be broken before and after it. */
  #isUnbroken({ parent }: PageElement): boolean {
    return parent !== undefined && this.lookOf(parent).nowrap
  }

  /** Words that reach beyond the window or their box are told from the others. */
  #judgeText(node: PageText, look: Look, scene: Scene, element: PageElement): void {
    const found = this.#textVerdict(look, scene, element)
    const verdict: Verdict =
      found.kind === 'visible' && !holdsText(element)
        ? { kind: 'uncertain', reason: element.name, piece: element }
        : found
    if (verdict.kind !== 'visible') this.#run = 0
    const { fitting, run } =
      verdict.kind === 'visible'
        ? fittingParts(node.text, look, this.#run, scene.room)
        : { fitting: [{ text: node.text, fits: true }], run: 0 }
    this.#run = run
    const parts = fitting.map(({ text, fits }) => {
      const part = fitting.length === 1 ? node : new PageText(text)
      part.parent = element
      this.#verdicts.set(part, fits ? verdict : { kind: 'uncertain', reason: 'long', piece: part })
      return part
    })
    if (parts.length === 1) return
    this.#parts.set(node, parts)
    this.#verdicts.set(node, { kind: 'uncertain', reason: 'long', piece: node })
  }

  /** A text in the parts that were judged each by itself. */
  partsOf(node: PageText): readonly PageText[] {
    return this.#parts.get(node) ?? [node]
  }

  #hideOwnText(element: PageElement): void {
    const kind = this.#looks.styles.pseudo(element).has('details-content') ? 'uncertain' : 'hidden'
    for (const node of element.content)
      if (node instanceof PageText) this.#verdicts.set(node, { kind, reason: 'details', piece: element })
  }

  #sceneOf(element: PageElement, look: Look, around: Scene): Scene {
    if (around.hidden !== undefined) return around
    if (look.hidden !== undefined)
      return {
        ...around,
        hidden: {
          kind: 'hidden',
          reason: look.hidden,
          piece: (look.hidden === 'option' ? element.parent : undefined) ?? element,
        },
      }
    const doubt = around.doubt ?? this.#doubtOf(element, look, around)
    const hidden =
      this.#clipped(element, look) ?? (around.mostOpacity * look.opacity.most < 0.03 ? 'opacity' : undefined)
    if (hidden !== undefined) {
      const piece: Verdict = {
        kind: around.differs || this.#differs(element) || doubt !== undefined ? 'uncertain' : 'hidden',
        reason: hidden,
        piece: element,
      }
      return piece.kind === 'hidden' ? { ...around, hidden: piece } : { ...around, doubt: doubt ?? piece }
    }
    const below = this.#beneath(element, look, around)
    const own = look.visibility === 'visible' ? look.background : look.background && UNKNOWN_BACKGROUND
    const backdrop = painted(look.visibility === 'hidden' ? undefined : own, below)
    const widths = this.#layout.widths(element, look, around)
    const escapes =
      look.isBox &&
      look.background !== undefined &&
      widths.room < around.room &&
      this.#layout.measure.leastWidth(element) > widths.room
    const behind = escapes ? together(backdrop, below) : backdrop
    return {
      ...{ hidden: undefined, doubt, backdrop: behind, below, ...widths },
      flow: look.isBox ? behind : around.flow,
      loose: this.#layout.isFlowRoot(element) ? behind : together(around.loose, behind),
      mayLoad: around.mayLoad || (look.background?.mayLoad ?? false),
      shape:
        look.background?.isText === true
          ? look.background
          : look.isBox && look.display !== 'inline-block'
            ? undefined
            : around.shape,
      opacity: around.opacity * look.opacity.least,
      mostOpacity: around.mostOpacity * look.opacity.most,
      ...this.#layout.placeOf(element, look, around),
      differs: around.differs || this.#differs(element),
    }
  }

  #differs(element: PageElement): boolean {
    return this.#looks.styles.differsElsewhere(element)
  }

  #doubtOf(element: PageElement, look: Look, around: Scene): Verdict | undefined {
    const reason = look.doubt ?? this.#sizeDoubt(element, look, around)
    return reason === undefined ? undefined : { kind: 'uncertain', reason, piece: element }
  }

  /** A box of a size that its content may exceed. */
  #sizeDoubt(element: PageElement, look: Look, around: Scene): string | undefined {
    if (!look.isBox || element.name === 'html') return undefined
    const { room, width } = this.#layout.widths(element, look, around)
    const isCut = look.clipsX || look.clipsY
    if (element.name === 'body' && isCut) return 'overflow'
    if (
      isCut &&
      (look.isRounded || (element.parent !== undefined && this.lookOf(element.parent).display.includes('flex')))
    )
      return 'overflow'
    if (
      this.#layout.need(element, look) >
      (Number.isFinite(around.room) ? Math.max(WIDEST, around.room) : Number.POSITIVE_INFINITY)
    )
      return 'width'
    if (around.isOver && (look.isPushed || (look.display === 'table-cell' && this.#layout.startOf(element) > FURTHEST)))
      return 'column'
    if (room < 20 && Number.isFinite(room)) return 'room'
    // The measure is more than ordinary text takes.
    const isBeside = look.isFloat || look.display === 'inline-block' || this.#isInFlex(element)
    const isNarrow = Number.isFinite(look.width) && !look.display.includes('table')
    if (isBeside && isNarrow && 0.85 * this.#layout.measure.leastWidth(element) > Math.max(0, room)) {
      this.#page ??= 'width'
      return 'width'
    }
    if (look.display.includes('flex') && this.#layout.measure.wholeWidth(element) > room) return 'flex'
    if ((isCut || look.rtl) && this.#layout.measure.leastWidth(element) > Math.max(room, 0)) return 'overflow:width'
    if (!Number.isFinite(look.height)) return undefined
    if (this.#layout.measure.height(element, width) <= look.height + 1) return undefined
    if (!look.clipsY && this.#layout.paints(element)) this.#page ??= 'height'
    return look.clipsY ? 'overflow:height' : 'height'
  }

  #isInFlex({ parent }: PageElement): boolean {
    return parent !== undefined && this.lookOf(parent).display.includes('flex')
  }

  /** Nothing fits into a box without height or width that cuts off what does not fit. */
  #clipped(element: PageElement, look: Look): string | undefined {
    if (!look.isBox || look.tall > 0 || REPLACED.has(element.name) || /^table|flex/.test(look.display)) return undefined
    if (look.clipsY && look.height === 0 && look.padding.down === 0) return 'height'
    return look.clipsX && look.width === 0 && look.padding.across === 0 && look.wide === 0 ? 'width' : undefined
  }

  #beneath(element: PageElement, look: Look, around: Scene): Backdrop {
    if (look.isFloat) return together(around.loose, this.#layout.flowColours(element))
    if (look.display === 'table-caption') return together(around.below, around.flow)
    if (!look.isBox) return around.backdrop
    // A part of a table that stands in a line makes a table of its own there.
    return /^(?:inline-|table-)/.test(look.display) ? together(around.backdrop, around.flow) : around.flow
  }

  /** Of what an element shows of its attributes. */
  #ownVerdict(look: Look, scene: Scene, element: PageElement): Verdict {
    const isSmall = look.width < 40 || look.height < 12 || look.share < 0.2
    const found = this.#textVerdict(look, scene, element)
    return found.kind === 'visible' && isSmall ? { kind: 'uncertain', reason: element.name, piece: element } : found
  }

  #textVerdict(look: Look, scene: Scene, element: PageElement): Verdict {
    if (scene.hidden !== undefined) return scene.hidden
    const hide = (reason: string): Verdict =>
      scene.doubt ?? { kind: scene.differs ? 'uncertain' : 'hidden', reason, piece: element }
    const doubt = (reason: string): Verdict => ({ kind: 'uncertain', reason, piece: element })
    if (look.visibility === 'hidden') return hide('visibility')
    if (look.size.most <= 1.5) return hide('font-size')
    const line = lineHeight(look)
    if (line < 0.7 * look.size.most || (look.size.most > 48 && line < 1.15 * look.size.most)) {
      this.#page ??= 'line-height'
      return scene.doubt ?? doubt('line-height')
    }
    if (scene.doubt !== undefined) return scene.doubt
    if (look.visibility === 'unsure') return doubt('visibility')
    if (look.size.least < LEAST_SIZE || look.size.most > 300) return doubt('font-size')
    if (scene.isOver && (look.align === 'right' || look.rtl)) return doubt('align')
    const contrast = this.#contrast(look, scene)
    if (contrast === undefined || scene.opacity < 0.3) return doubt('colour')
    if (contrast.most <= SAME)
      return scene.mayLoad || scene.shape !== undefined || look.isShadowed ? doubt('picture') : hide('colour')
    if (this.#before) return doubt('position')
    return contrast.least < APART * Math.max(1, USUAL_SIZE / look.size.least) ? doubt('contrast') : VISIBLE
  }

  #contrast(look: Look, { backdrop, opacity, shape }: Scene): { least: number; most: number } | undefined {
    const plain = look.fill === 'colour' ? look.colours : look.fill
    const colours = shape !== undefined && plain?.every(({ alpha }) => alpha === 0) ? textPaint(shape) : plain
    if (backdrop === undefined || colours === undefined) return undefined
    const apart = colours.flatMap((colour) =>
      backdrop.map((below: Colour) => difference(over(colour, below, opacity), below)),
    )
    return { least: Math.min(...apart), most: Math.max(...apart) }
  }
}

const OWN_TEXT = new Set(['img', 'input', 'option', 'textarea', 'iframe'])
const UNKNOWN_BACKGROUND: Background = { colours: undefined, stops: [], isPartial: true, mayLoad: true, isText: false }

/** What an element contains beside its own look: of some, nothing that is written in them. */
function innerScene(element: PageElement, scene: Scene): Scene {
  if (scene.hidden !== undefined) return scene
  const inner = innerOf(element)
  if (inner === undefined) return scene
  const verdict: Verdict = { kind: inner, reason: element.name, piece: element }
  return inner === 'hidden' ? { ...scene, hidden: verdict } : { ...scene, doubt: scene.doubt ?? verdict }
}
