/** What a YAML file says, each piece with its place. Aliases stand resolved: the same piece may appear more than once. */
import type { Place } from './problems.ts'

export type Node = MappingNode | ListNode | ScalarNode

export interface MappingNode {
  readonly kind: 'mapping'
  readonly at: Place
  /** Every key once, in the order written. */
  readonly entries: readonly Entry[]
}

export interface Entry {
  readonly key: string
  readonly at: Place
  readonly value: Node
}

export interface ListNode {
  readonly kind: 'list'
  readonly at: Place
  readonly items: readonly Node[]
}

export interface ScalarNode {
  readonly kind: 'scalar'
  readonly at: Place
  readonly value: string | number | boolean | null
}

export function isEmpty(node: Node): boolean {
  return node.kind === 'scalar' && node.value === null
}
