/**
 * Makes a generated document that is delivered wrongly as small as it gets while it still is.
 *
 * INVARIANT: what comes back has the same fault. Every step is judged by Chromium again.
 */
import type { Composition, Node, Rule } from './generate.ts'

const MOST_STEPS = 60

/** `fails` says of each of several documents whether it is still delivered wrongly. */
export async function minimised(
  from: Composition,
  fails: (candidates: readonly Composition[]) => Promise<readonly boolean[]>,
): Promise<Composition> {
  let smallest = from
  for (let step = 0; step < MOST_STEPS; step++) {
    const candidates = smallerOnes(smallest)
    if (candidates.length === 0) break
    const found = await firstOf(candidates, fails)
    if (found === undefined) break
    smallest = found
  }
  return smallest
}

const AT_ONCE = 12

async function firstOf(
  candidates: readonly Composition[],
  fails: (some: readonly Composition[]) => Promise<readonly boolean[]>,
): Promise<Composition | undefined> {
  for (let at = 0; at < candidates.length; at += AT_ONCE) {
    const some = candidates.slice(at, at + AT_ONCE)
    const failing = await fails(some)
    const found = some.find((_, number) => failing[number])
    if (found !== undefined) return found
  }
  return undefined
}

/** The same document with one thing left out, the largest things first. */
function smallerOnes(from: Composition): Composition[] {
  const bodies = smallerNodes(from.body).map((body) => ({
    ...from,
    body: body.filter((node) => typeof node !== 'string'),
  }))
  const rules = smallerRules(from.rules).map((smaller) => ({ ...from, rules: smaller }))
  return [...rules, ...bodies]
}

function smallerRules(rules: readonly Rule[]): Rule[][] {
  return rules.flatMap((rule, at) => {
    const instead = (...others: Rule[]): Rule[] => [...rules.slice(0, at), ...others, ...rules.slice(at + 1)]
    const declarations = rule.declarations.length > 1 ? without(rule.declarations) : []
    return [
      instead(),
      ...(rule.condition === '' ? [] : [instead({ ...rule, condition: '' })]),
      ...declarations.map((fewer) => instead({ ...rule, declarations: fewer })),
    ]
  })
}

function smallerNodes(nodes: readonly (Node | string)[]): (Node | string)[][] {
  return nodes.flatMap((node, at) => {
    const instead = (...others: readonly (Node | string)[]): (Node | string)[] => [
      ...nodes.slice(0, at),
      ...others,
      ...nodes.slice(at + 1),
    ]
    if (typeof node === 'string') return [instead()]
    return [
      instead(),
      instead(...node.children),
      ...without(node.style).map((style) => instead({ ...node, style })),
      ...without(node.attributes).map((attributes) => instead({ ...node, attributes })),
      ...(node.tag === 'div' ? [] : [instead({ ...node, tag: 'div' })]),
      ...smallerNodes(node.children).map((children) => instead({ ...node, children })),
    ]
  })
}

function without<T>(all: readonly T[]): T[][] {
  return all.map((_, at) => [...all.slice(0, at), ...all.slice(at + 1)])
}
