/**
 * The text of a PowerPoint document: its slides in their order, each with its notes.
 *
 * INVARIANT: nothing of hidden slides, of hidden shapes, or of letters without colour or size.
 */
import type { Archive } from './archive.ts'
import { isTrue } from './docx-styles.ts'
import type { Paper } from './paper.ts'
import { mainFile, relationsOf, targets } from './relations.ts'
import { type Element, readWholeXml, readXml, type XmlEvents } from './xml.ts'

const SHAPES = ['sp', 'grpSp', 'graphicFrame', 'pic', 'cxnSp'] as const
/** In hundredths of a point. */
const SMALLEST = 200

export function readPptx(archive: Archive, paper: Paper): void {
  for (const slide of slidesOf(archive)) {
    if (archive.exhausted) paper.incomplete()
    if (archive.exhausted || paper.full) return
    readSlide(archive, slide, paper)
  }
}

function slidesOf(archive: Archive): readonly string[] {
  const main = mainFile(archive, 'ppt/presentation.xml')
  const files = new Map(relationsOf(archive, main).map(({ id, target }) => [id, target]))
  // Named twice, a slide would be read twice: a small file must not become a long one.
  const slides = new Set<string>()
  readWholeXml(archive, main, 'presentation', {
    open(element) {
      const file = element.name === 'sldId' ? files.get(element.qualified('id') ?? '') : undefined
      if (file !== undefined) slides.add(file)
    },
  })
  return [...slides]
}

function readSlide(archive: Archive, file: string, paper: Paper): void {
  let shown = true
  const seen = (isShown: boolean): void => {
    shown = isShown
  }
  paper.gap()
  if (!readXml(archive, file, 'sld', slideEvents(paper, seen))) paper.incomplete()
  if (archive.exhausted) return
  const notes = targets(relationsOf(archive, file), 'notesSlide')[0]
  if (notes === undefined || !shown || paper.full) return
  paper.gap()
  if (
    !readXml(
      archive,
      notes,
      'notes',
      slideEvents(paper, () => {}),
    )
  )
    paper.incomplete()
}

function slideEvents(paper: Paper, seen: (isShown: boolean) => void): XmlEvents {
  return {
    open(element) {
      if (element.name === 'sld') {
        element.hidden = isFalse(element.attribute('show'))
        seen(!element.hidden)
      }
      judge(element)
      layOut(element, paper)
    },
    close({ name }) {
      if (name === 'p') paper.line()
      else if (name === 'tr') paper.row()
    },
    text(text, element) {
      if (element.name !== 't') return
      const run = element.around('r')
      if (run !== undefined) run.settled = true
      paper.say(text, element)
    },
    enough: () => paper.full,
  }
}

function layOut({ name }: Element, paper: Paper): void {
  if (name === 'p' || name === 'br') paper.line()
  else if (name === 'tr') paper.row()
  else if (name === 'tc') paper.cell()
}

function judge(element: Element): void {
  const { name, parent } = element
  if (name === 'cNvPr' && isTrue(element.attribute('hidden'))) {
    const shape = element.around(...SHAPES)
    if (shape !== undefined) shape.hidden = true
  } else if (name === 'fld' && element.attribute('type') === 'slidenum') element.ignored = true
  else if (name === 'rPr' && parent !== undefined) {
    if (parent.settled) throw new Error('properties after the text')
    if (Number(element.attribute('sz') ?? SMALLEST) < SMALLEST) parent.hidden = true
  } else if (name === 'noFill' && parent?.name === 'rPr' && parent.parent !== undefined) parent.parent.hidden = true
}

function isFalse(value: string | undefined): boolean {
  return value === '0' || value === 'false'
}
