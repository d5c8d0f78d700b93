/**
 * The text of a Word document: headers, body, notes, footers, comments.
 *
 * INVARIANT: no text that is formatted as hidden, deleted, or moved elsewhere; no field codes.
 */
import type { Archive } from './archive.ts'
import { type DocxStyles, isOn, readDocxStyles } from './docx-styles.ts'
import type { Paper } from './paper.ts'
import { mainFile, relationsOf, targets } from './relations.ts'
import { type Element, readXml, type XmlEvents } from './xml.ts'

/** What stands around the text, and the outermost element of each. */
const BEFORE = [['header', 'hdr']] as const
const AFTER = [
  ['footnotes', 'footnotes'],
  ['endnotes', 'endnotes'],
  ['footer', 'ftr'],
  ['comments', 'comments'],
] as const

/** In half points: nobody can read what is smaller than two points. */
const SMALLEST = 4

export function readDocx(archive: Archive, paper: Paper): void {
  const main = mainFile(archive, 'word/document.xml')
  const relations = relationsOf(archive, main)
  const styles = readDocxStyles(archive, targets(relations, 'styles')[0])
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
  if (name === 'p') element.styledAway ||= styles.byDefault
  else if ((name === 'rPr' || name === 'pPr') && parent?.settled === true) throw new Error('properties after the text')
  else if (name === 'pStyle' || name === 'tblStyle') hideByStyle(element.around('p', 'tbl'), element, styles)
  else if (name === 'rStyle') hideByStyle(runOf(element), element, styles)
  else if (name === 'vanish') vanish(runOf(element), isOn(element))
  else if (name === 'sz' && Number(element.attribute('val')) < SMALLEST) vanish(runOf(element), true)
  else if ((name === 'hidden' || name === 'del') && parent?.name === 'trPr') hideRow(element)
  else if (name === 'del' || name === 'moveFrom') element.hidden = true
}

/** The properties of a paragraph's mark are not those of its text. */
function runOf(element: Element): Element | undefined {
  const run = element.parent?.name === 'rPr' ? element.parent.parent : undefined
  return run?.name === 'r' ? run : undefined
}

function hideByStyle(target: Element | undefined, element: Element, styles: DocxStyles): void {
  if (target === undefined || element.around('pPrChange', 'rPrChange', 'tblPrChange') !== undefined) return
  const hides = styles.hides(element.attribute('val') ?? '')
  // A paragraph's own style stands in for the usual one.
  target.styledAway = hides || (target.name === 'p' ? (target.parent?.styledAway ?? false) : target.styledAway)
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
