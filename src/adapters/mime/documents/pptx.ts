/**
 * The text of a PowerPoint document: its slides in their order, each with its notes.
 *
 * INVARIANT: nothing of hidden slides, of hidden shapes or of shapes beside the slide, nor of letters without colour or size. Text is visible
 * only on what it differs from, and only where nothing lies over it.
 */
import type { Archive } from './archive.ts'
import { isTrue } from './docx-styles.ts'
import { type Ink, inkSight, type Rgb, WHITE } from './ink.ts'
import type { Paper } from './paper.ts'
import { overlapping, type Paint, Paints, readScene, type Scene, SHAPES, type Shape, sizeOf } from './pptx-scene.ts'
import { type Box, share } from './region.ts'
import { mainFile, relationsOf, targets } from './relations.ts'
import { Theme } from './theme.ts'
import { type Element, readWholeXml, readXml, type XmlEvents } from './xml.ts'

/** Parts of a millimetre count 36,000 to one; less than this holds no letter. */
const THIN = 36_000
/** In points. */
const USUAL = 18

/** A master and a layout, in this order, and their theme. */
interface Ground {
  readonly scenes: readonly Scene[]
  readonly theme: Theme
}

interface Stage extends Ground {
  readonly size: Box | undefined
  readonly slide: Scene
}

export function readPptx(archive: Archive, paper: Paper): void {
  const { files, size } = slidesOf(archive)
  const grounds = new Map<string, Ground>()
  for (const file of files) {
    if (archive.exhausted) paper.incomplete()
    if (archive.exhausted || paper.full) return
    const layout = targets(relationsOf(archive, file), 'slideLayout')[0] ?? ''
    const ground = grounds.get(layout) ?? groundOf(archive, layout)
    grounds.set(layout, ground)
    readSlide(archive, file, paper, { ...ground, size, slide: readScene(archive, file, 'sld', ground.theme) })
  }
}

/** Each slide has a layout, which has a master, which has a theme. */
function groundOf(archive: Archive, layout: string): Ground {
  const master = targets(relationsOf(archive, layout), 'slideMaster')[0] ?? ''
  const theme = new Theme(archive, targets(relationsOf(archive, master), 'theme')[0])
  const scenes: Scene[] = []
  if (master !== '') scenes.push(readScene(archive, master, 'sldMaster', theme))
  if (layout !== '') scenes.push(readScene(archive, layout, 'sldLayout', theme))
  return { scenes, theme }
}

function slidesOf(archive: Archive): { readonly files: readonly string[]; readonly size: Box | undefined } {
  const main = mainFile(archive, 'ppt/presentation.xml')
  const files = new Map(relationsOf(archive, main).map(({ id, target }) => [id, target]))
  // Named twice, a slide would be read twice: a small file must not become a long one.
  const slides = new Set<string>()
  let size: Box | undefined
  readWholeXml(archive, main, 'presentation', {
    open(element) {
      const file = element.name === 'sldId' ? files.get(element.qualified('id') ?? '') : undefined
      if (file !== undefined) slides.add(file)
      if (element.name === 'sldSz') size = [0, 0, element.number('cx') ?? 0, element.number('cy') ?? 0]
    },
  })
  return { files: [...slides], size }
}

function readSlide(archive: Archive, file: string, paper: Paper, stage: Stage): void {
  let isShown = true
  const read = (name: string, root: string, on: Stage | undefined): void => {
    paper.gap()
    const events = slideEvents(paper, on, (isHidden) => {
      isShown = !isHidden
    })
    if (!readXml(archive, name, root, events)) paper.incomplete()
  }
  read(file, 'sld', stage)
  const notes = archive.exhausted ? undefined : targets(relationsOf(archive, file), 'notesSlide')[0]
  if (notes !== undefined && isShown && !paper.full) read(notes, 'notes', undefined)
}

function slideEvents(paper: Paper, stage: Stage | undefined, hide: (isHidden: boolean) => void): XmlEvents {
  const paints = new Paints(stage?.theme ?? new Theme())
  let [shapes, cells] = [0, 0]
  return {
    open(element) {
      const { name } = element
      if (name === 'sld') {
        element.hidden = /^(?:0|false)$/.test(element.attribute('show') ?? '')
        hide(element.hidden)
      }
      paints.open(element)
      if (stage !== undefined && SHAPES.includes(name)) stand(element, shapes++, stage)
      if (stage !== undefined && name === 'tc') standInCell(element, stage.slide.cells[cells++] ?? 'none')
      judge(element)
      layOut(element, paper)
    },
    close(element) {
      const { name } = element
      if (name === 'p') paper.line()
      else if (name === 'tr') paper.row()
      const paint = paints.close(element)
      if (paint !== undefined) paintRun(element, paint)
    },
    text(text, element) {
      if (element.name !== 't') return
      const run = element.around('r', 'fld')
      if (run !== undefined) run.settled = true
      paper.say(text, element)
    },
    enough: () => paper.full,
  }
}

/** Where a shape lies, what lies behind its text and over it, and how its text looks unless it says otherwise. */
function stand(element: Element, index: number, { size, theme, slide, scenes }: Stage): void {
  const shape = slide.shapes[index]
  if (shape === undefined) return
  const kin = [shape, ...kinOf(shape, scenes)]
  const box = kin.find((other) => other.box !== undefined)?.box
  if (box !== undefined) judgePlace(element, box, size)
  const isOdd =
    slide.isOdd || scenes.some((scene) => scene.isOdd) || (element.parent?.name === 'grpSp' && box === undefined)
  if (isOdd || overlapping(box, slide.shapes.slice(index + 1)).length > 0) element.doubtful = true
  const behind = backdropOf(kin, box, slide.shapes.slice(0, index), [slide, ...scenes.toReversed()])
  const kind = shape.placeholder?.[0] ?? 'other'
  const style = `${kind === 'title' || kind === 'other' ? kind : 'body'}Style`
  const handed = [...kin.flatMap(({ text }) => text), ...scenes.flatMap(({ styles }) => styles.get(style) ?? [])]
  const own = shape.text.length > 0 ? shape.text : handed
  const inks = own.map((ink): Ink => ({ colour: theme.named('tx1'), ...ink, behind }))
  // Which of several looks a paragraph has is not computed.
  const isUniform = new Set(inks.map(inkSight)).size <= 1
  const colour = isUniform ? (inks[0]?.colour ?? theme.named('tx1')) : undefined
  element.look({ colour, behind, points: Math.min(USUAL, ...inks.map(({ points = USUAL }) => points)) })
}

/** The placeholders that it stands for: by number in the layout, by kind in the master. */
function kinOf({ placeholder }: Shape, scenes: readonly Scene[]): readonly Shape[] {
  if (placeholder === undefined) return []
  const [kind, number] = placeholder
  return scenes.toReversed().flatMap(({ shapes }) => {
    const sameNumber = number === '#' ? undefined : shapes.find((other) => other.placeholder?.[1] === number)
    return sameNumber ?? shapes.find((other) => other.placeholder?.[0] === kind) ?? []
  })
}

function judgePlace(element: Element, box: Box, size: Box | undefined): void {
  const [left, top, right, bottom] = box
  if (right - left < THIN || bottom - top < THIN) element.hidden = true
  else if (size !== undefined && share(box, size) === 0) element.hidden = true
  else if (size !== undefined && share(box, size) < 0.5) element.doubtful = true
}

/** Its own fill, or those of all that lies under it. */
function backdropOf(
  kin: readonly Shape[],
  box: Box | undefined,
  before: readonly Shape[],
  scenes: readonly Scene[],
): readonly Rgb[] {
  const own = fillsOf(kin.map(({ fill }) => fill))
  if (own.length > 0) return own.slice(0, 1)
  const [page] = [...fillsOf(scenes.map(({ background }) => background)), WHITE]
  const decoration = scenes.slice(1).flatMap(({ shapes }) => shapes.filter((shape) => shape.placeholder === undefined))
  const under = overlapping(box, [...decoration, ...before])
  const colours = fillsOf(under.map(({ fill }) => fill))
  const top = under.at(-1)?.box
  // What lies on all of the others hides them.
  if (box !== undefined && top !== undefined && share(box, top) > 0.99) return colours.slice(-1)
  return [...new Set([page, ...colours])]
}

function fillsOf(fills: readonly (Rgb | 'none')[]): readonly Rgb[] {
  return fills.filter((fill) => fill !== 'none')
}

/** Which part of a table's style a cell has is not computed. */
function standInCell(cell: Element, fill: Rgb | 'none'): void {
  if (fill !== 'none') cell.look({ behind: [fill] })
  else if (cell.around('tbl')?.settled === true) cell.look({ colour: 'auto', behind: [WHITE, undefined] })
}

function paintRun({ name, parent }: Element, paint: Paint): void {
  const run = parent?.name === 'rPr' ? parent.parent : undefined
  if (run === undefined) return
  if (name === 'highlight') run.look({ behind: [paint.colour] })
  else run.look(paint)
}

function layOut({ name }: Element, paper: Paper): void {
  if (name === 'p' || name === 'br') paper.line()
  else if (name === 'tr') paper.row()
  else if (name === 'tc') paper.cell()
}

function judge(element: Element): void {
  const { name, parent } = element
  if (name === 'cNvPr' && isTrue(element.attribute('hidden'))) {
    const shape = element.around(...SHAPES, 'grpSp')
    if (shape !== undefined) shape.hidden = true
  } else if (name === 'tableStyleId') {
    const table = element.around('tbl')
    if (table !== undefined) table.settled = true
  } else if (name === 'fld' && element.attribute('type') === 'slidenum') element.ignored = true
  else if (name === 'normAutofit' && (element.number('fontScale') ?? 100_000) < 25_000) {
    const body = element.around('txBody')
    if (body !== undefined) body.doubtful = true
  } else if (name === 'effectLst' && parent?.name === 'rPr' && parent.parent !== undefined)
    parent.parent.doubtful = true
  else if (name === 'rPr' && parent !== undefined) {
    if (parent.settled) throw new Error('properties after the text')
    parent.look(sizeOf(element))
    if (Math.abs(element.number('baseline') ?? 0) > 100_000 || (element.number('spc') ?? 0) < -500)
      parent.doubtful = true
  }
}
