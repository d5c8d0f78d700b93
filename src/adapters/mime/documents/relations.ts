/** Which files of an Office document belong together: each names the ones it refers to in a file beside it. */
import type { Archive } from './archive.ts'
import { ownText } from './own-text.ts'
import { readWholeXml } from './xml.ts'

const MOST_RELATIONS = 10_000

export interface Relation {
  readonly id: string
  /** The last word of its type: `header`, `worksheet`, `slide`. */
  readonly kind: string
  /** The name of a file in the archive. */
  readonly target: string
}

/** What a file refers to inside of the document; `''` is the document as a whole. */
export function relationsOf(archive: Archive, name: string): readonly Relation[] {
  const folder = name.slice(0, name.lastIndexOf('/') + 1)
  const file = `${folder}_rels/${name.slice(folder.length)}.rels`
  if (!archive.has(file)) return []
  const relations: Relation[] = []
  readWholeXml(archive, file, 'Relationships', {
    open(element) {
      if (element.name !== 'Relationship' || element.attribute('TargetMode') === 'External') return
      if (relations.length >= MOST_RELATIONS) throw new Error('too many relations')
      const type = element.attribute('Type') ?? ''
      const target = resolve(folder, element.attribute('Target') ?? '')
      if (!archive.has(target)) return
      const kind = ownText(type.slice(type.lastIndexOf('/') + 1))
      relations.push({ id: ownText(element.attribute('Id') ?? ''), kind, target: ownText(target) })
    },
  })
  return relations
}

/** The file that the document begins with. */
export function mainFile(archive: Archive, usual: string): string {
  return relationsOf(archive, '').find(({ kind }) => kind === 'officeDocument')?.target ?? usual
}

/** The files of one kind, in the order in which they are named. */
export function targets(relations: readonly Relation[], kind: string): readonly string[] {
  return relations.filter((relation) => relation.kind === kind).map(({ target }) => target)
}

function resolve(folder: string, target: string): string {
  const path: string[] = []
  for (const step of `${target.startsWith('/') ? '' : folder}${target}`.split('/')) {
    if (step === '..') path.pop()
    else if (step !== '' && step !== '.') path.push(step)
  }
  return path.join('/')
}
