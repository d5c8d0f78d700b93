/** Every technique, and every idiom of ordinary mail, with Chromium to say what a person sees. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { visibleText } from '../../src/adapters/mime/visible-text.ts'
import { type Case, casesOf } from './cases.ts'
import { type Oracle, openOracle, type Sight } from './oracle.ts'
import { ORDINARY, TECHNIQUES } from './techniques/all.ts'
import { type Class, classesOf, faultOf, zip } from './verdict.ts'

let oracle: Oracle

beforeAll(async () => {
  oracle = await openOracle()
})
afterAll(() => oracle.close())

/** Of a technique whose text is delivered as uncertain, anything goes: only the rest is looked at. */
async function faults(cases: readonly Case[], ordinary: boolean): Promise<string[]> {
  const delivered = new Map<Case, Class>(
    cases.map((one) => [one, classesOf(visibleText, one.html, one.canaries)[0] ?? 'hidden']),
  )
  const asked = cases.filter((one) => ordinary || delivered.get(one) !== 'uncertain')
  const sights: [Case, Sight[]][] = zip(asked, await oracle.judge(asked))
  return sights.flatMap(([one, [sight = 'hidden']]) => {
    const fault = faultOf(sight, delivered.get(one) ?? 'hidden', ordinary)
    return fault === undefined ? [] : [`${fault}: ${one.html}`]
  })
}

test('the oracle tells shown from hidden', async () => {
  const word = 'hunuhnuu4821'
  const documents = [
    `<p>${word}</p>`,
    `<p style="display:none">${word}</p>`,
    `<p style="color:#fff">${word}</p>`,
    `<p style="margin-top:3000px">${word}</p>`,
    `<p style="width:60px;overflow:hidden">${word}</p>`,
    `<p style="font-size:1px">${word}</p>`,
    `<noscript>${word}</noscript>`,
    `<style>p::before{content:"${word}"}</style><p>a</p>`,
    `<img src="http://example.invalid/a.png" alt="${word}">`,
    `<p style="margin-left:560px">${word}</p>`,
  ]
  const sights = await oracle.judge(documents.map((html) => ({ html, canaries: [word] })))
  expect(sights.flat()).toEqual([
    ...['shown', 'hidden', 'hidden', 'shown', 'partly', 'hidden', 'shown', 'shown', 'shown', 'aside'],
  ])
})

test('there are techniques in every group', () => {
  expect(casesOf(TECHNIQUES).length).toBeGreaterThan(1000)
  expect(casesOf(ORDINARY).length).toBeGreaterThan(120)
})

test.each(TECHNIQUES)('$name: nothing hidden is visible, nothing shown is lost', async (group) => {
  expect(await faults(casesOf([group]), false)).toEqual([])
})

test.each(ORDINARY)('$name: what ordinary mail shows is visible', async (group) => {
  expect(await faults(casesOf([group]), true)).toEqual([])
})
