/** YAML of a person, edited in place. */
import { type Document, isMap, isScalar, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml'
import { Failure } from '../../core/failure.ts'

export type Yaml = Document.Parsed

/** A tree that is edited was loaded before, so this fails only where it was changed since. */
export function documentOf(text: string, file: string): Yaml {
  const document = parseDocument(text)
  if (document.errors.length === 0) return document
  throw new Failure('conflict', `${file} is not valid YAML; "postern check" says where`)
}

export function textOf(document: Yaml, before: string): string {
  // A person's manner of writing lists is kept.
  return document.toString({ lineWidth: 0, indentSeq: !/^[\w"'-]+:[^\n]*\n(?:[ \t]*#[^\n]*\n)*- /m.test(before) })
}

export function mapIn(document: Yaml, file: string): YAMLMap {
  const { contents } = document
  if (isMap(contents)) return contents
  throw new Failure('conflict', `${file} holds something else than settings`)
}

export function listIn(parent: YAMLMap, key: string, file: string): YAMLSeq {
  const list = parent.get(key)
  if (isSeq(list)) return list
  throw new Failure('conflict', `${key} of ${file} is no list`)
}

export function childMap(parent: YAMLMap, key: string, file: string): YAMLMap {
  const child = parent.get(key)
  if (isMap(child)) return child
  throw new Failure('conflict', `${key} of ${file} is something else than settings`)
}

/** The item of a list of mappings that has this id. */
export function itemNamed(list: YAMLSeq, id: string): YAMLMap | undefined {
  return list.items.find((item): item is YAMLMap => isMap(item) && String(item.get('id')) === id)
}

/** Sets a value only where it is another one: what is written in its own manner stays. */
export function setValue(document: Yaml, map: YAMLMap, key: string, value: unknown): void {
  const there: unknown = map.toJS(document)?.[key]
  if (JSON.stringify(there) === JSON.stringify(value)) return
  const node = document.createNode(value)
  if ((isMap(node) || isSeq(node)) && key !== 'auth') node.flow = true
  map.set(key, node)
}

/** A comment above one of its keys. */
export function commentAbove(map: YAMLMap, key: string, comment: string): void {
  const pair = map.items.find((item) => String(item.key) === key)
  if (isScalar(pair?.key)) pair.key.commentBefore = comment
}
