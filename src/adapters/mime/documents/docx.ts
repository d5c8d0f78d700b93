/**
 * The text of a Word document: headers, body, notes, footers, comments.
 *
 * INVARIANT: no text that is formatted as hidden, deleted, or moved elsewhere, or that cannot be told from what lies behind it; no field codes.
 * Text in places that are not computed is uncertain.
 */
import type { Archive } from './archive.ts'
import { type DocxStyles, inkOf, isOn, isTrue, readDocxStyles } from './docx-styles.ts'
import { hexColour, WHITE } from './ink.ts'
import type { Paper } from './paper.ts'
import { mainFile, relationsOf, targets } from './relations.ts'
import { Theme } from './theme.ts'
import { type Element, readWholeXml, readXml, type XmlEvents } from './xml.ts'

/** What stands around the text, and the outermost element of each. */
const BEFORE = [['header', 'hdr']] as const
const AFTER = [
  ['footnotes', 'footnotes'],
  ['endnotes', 'endnotes'],
  ['footer', 'ftr'],
  ['comments', 'comments'],
] as const

/** Twentieths of a point: more than any page, and rows that show no line of text. */
const FAR = 12_000
const FLAT = 40
const LOW = 200
/** Parts of a millimetre in drawings, which count 36,000 to one. */
const THIN = 36_000 * 2
const LARGE = 36_000 * 60

export function readDocx(archive: Archive, paper: Paper): void {
  const main = mainFile(archive, 'word/document.xml')
  const relations = relationsOf(archive, main)
  const theme = new Theme(archive, targets(relations, 'theme')[0])
  const settings = targets(relations, 'settings')[0]
  if (settings !== undefined) {
    readWholeXml(archive, settings, 'settings', {
      open: (element) => element.name === 'clrSchemeMapping' && theme.rename(element),
    })
  }
  const styles = readDocxStyles(archive, targets(relations, 'styles')[0], theme)
  const events = wordEvents(paper, styles)
  const read = (file: string, root: string): void => {
    if (paper.full) return
    paper.gap()
    if (!readXml(archive, file, root, events)) paper.incomplete()
  }
  for (const [kind, root] of BEFORE) for (const file of targets(relations, kind)) read(file, root)
  read(main, 'document')
  for (const [kind, root] of AFTER) for (const file of targets(relations, kind)) read(file, root)
}

function wordEvents(paper: Paper, styles: DocxStyles): XmlEvents {
  return {
    open(element) {
      judge(element, styles)
      place(element, paper)
      layOut(element, paper)
    },
    close({ name }) {
      if (name === 'p') paper.line()
      else if (name === 'tr') paper.row()
    },
    text(text, element) {
      if (element.name === 't') {
        for (const owner of [element.around('r'), element.around('p')]) if (owner !== undefined) owner.settled = true
        paper.say(text, element)
      } else if (element.name === 'delText' && !element.ignored) paper.hide(text)
    },
    enough: () => paper.full,
  }
}

function layOut(element: Element, paper: Paper): void {
  const { name, parent } = element
  if (name === 'p') paper.line()
  else if (name === 'tr') paper.row()
  else if (name === 'tc') paper.cell()
  else if (parent?.name !== 'r') return
  else if (name === 'tab') paper.say('\t', element)
  else if (name === 'noBreakHyphen') paper.say('-', element)
  else if (name === 'br' || name === 'cr') paper.line()
}

/** Properties stand before what they are about; where they do not, a program may show another text than we. */
function judge(element: Element, styles: DocxStyles): void {
  const { name, parent } = element
  if (parent === undefined) element.ink = styles.plain
  else if (name === 'p') styles.apply(element)
  else if ((name === 'rPr' || name === 'pPr') && parent.settled) throw new Error('properties after the text')
  else if (name === 'pStyle' || name === 'tblStyle') applyStyle(element.around('p', 'tbl'), element, styles)
  else if (name === 'rStyle') applyStyle(runOf(element), element, styles)
  else if (name === 'vanish') vanish(runOf(element), isOn(element))
  else if ((name === 'hidden' || name === 'del') && parent.name === 'trPr') hideRow(element)
  else if (name === 'del' || name === 'moveFrom') element.hidden = true
  else if (name === 'background') doubtPaper(element)
  else {
    const target = runOf(element) ?? (name === 'shd' ? parent.parent : undefined)
    if (target !== undefined && !isFormer(element)) target.look(inkOf(element, styles.theme))
    ODDITIES.get(name)?.(element, runOf(element))
  }
}

/** A colour of the page that not every program shows. */
function doubtPaper(element: Element): void {
  const colour = hexColour(element.attribute('color'))
  element.parent?.look({ behind: [WHITE, colour] })
}

/** What shrinks, moves or replaces letters beyond what is computed. */
const ODDITIES = new Map(
  Object.entries<(element: Element, run: Element | undefined) => void>({
    w: (element, run) => doubt(run, (element.number('val') ?? 100) < 40),
    position: (element, run) => doubt(run, Math.abs(element.number('val') ?? 0) > 100),
    fitText: (_, run) => doubt(run, true),
    emboss: (element, run) => doubt(run, isOn(element)),
    imprint: (element, run) => doubt(run, isOn(element)),
    outline: (element, run) => doubt(run, isOn(element)),
    textFill: (_, run) => doubt(run, true),
    spacing(element, run) {
      doubt(run, (element.number('val') ?? 0) < -40)
      const line = element.attribute('lineRule') === 'exact' ? element.number('line') : undefined
      doubt(element.around('p'), line !== undefined && line < LOW)
    },
    ind: (element) =>
      doubt(
        element.around('p'),
        ['left', 'start', 'firstLine', 'right', 'end', 'hanging'].some((side) => isFar(element.number(side))),
      ),
    framePr: (element) => doubt(element.around('p'), element.attribute('dropCap') === undefined),
    trHeight(element) {
      const height = element.attribute('hRule') === 'exact' ? (element.number('val') ?? LOW) : LOW
      const row = element.around('tr')
      if (row !== undefined && height < FLAT) row.hidden = true
      doubt(row, height < LOW)
    },
    tcW: (element) =>
      doubt(element.around('tc'), element.attribute('type') === 'dxa' && (element.number('w') ?? LOW) < LOW),
    tblInd: (element) => doubt(element.around('tbl'), isFar(element.number('w'))),
    tblpPr: (element) => doubt(element.around('tbl'), isFar(element.number('tblpX')) || isFar(element.number('tblpY'))),
  }),
)

function doubt(target: Element | undefined, isOdd: boolean): void {
  if (target !== undefined && isOdd) target.doubtful = true
}

function isFar(twips = 0): boolean {
  return twips < -2000 || twips > FAR
}

/** What floats: text in it, and what it may lie over. */
function place(element: Element, paper: Paper): void {
  const { name } = element
  const anchor = name === 'anchor' || name === 'inline' ? element : element.around('anchor', 'inline')
  if (name === 'docPr' && isTrue(element.attribute('hidden')) && anchor !== undefined) anchor.hidden = true
  else if (name === 'extent' && anchor !== undefined) {
    const [width = 0, height = 0] = [element.number('cx'), element.number('cy')]
    if (width < THIN || height < THIN) anchor.hidden = true
    if (width > LARGE && height > LARGE && lies(anchor)) anchor.settled = true
  } else if (name === 'wrapNone' && anchor !== undefined && lies(anchor) && anchor.around('hdr', 'ftr') === undefined) {
    // Over a paragraph at least; over more when it is large.
    if (anchor.settled) paper.doubtAll()
    doubt(anchor.around('p'), true)
  } else if (name === 'txbxContent') {
    // How a box is filled is not computed: text that is dark, or not coloured at all, shows on what boxes are filled with.
    doubt(element, anchor === undefined || anchor.name === 'anchor')
  }
}

/** In front of the text, not behind it. */
function lies(anchor: Element): boolean {
  return anchor.name === 'anchor' && !isTrue(anchor.attribute('behindDoc'))
}

/** The properties of a paragraph's mark are not those of its text. */
function runOf(element: Element): Element | undefined {
  const run = element.parent?.name === 'rPr' ? element.parent.parent : undefined
  return run?.name === 'r' ? run : undefined
}

/** How something looked before it was changed. */
function isFormer(element: Element): boolean {
  return element.around('pPrChange', 'rPrChange', 'tblPrChange', 'tcPrChange', 'trPrChange') !== undefined
}

function applyStyle(target: Element | undefined, element: Element, styles: DocxStyles): void {
  if (target === undefined || isFormer(element)) return
  // A style that is named after what overrules it.
  if (target.name === 'r') doubt(target, target.ink !== target.parent?.ink)
  styles.apply(target, element.attribute('val') ?? '')
}

function vanish(run: Element | undefined, on: boolean): void {
  if (run === undefined) return
  if (on) run.hidden = true
  else run.styledAway = false
}

function hideRow(element: Element): void {
  const row = element.parent?.parent
  if (row !== undefined && isOn(element)) row.hidden = true
}
