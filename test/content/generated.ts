/**
 * Judges generated documents: what is delivered against what Chromium shows.
 *
 * INVARIANT: a fault is reported only after Chromium has judged that text by itself.
 */
import { canary } from './canary.ts'
import { type Composition, compose, htmlOf } from './generate.ts'
import { minimised } from './minimise.ts'
import type { Oracle } from './oracle.ts'
import { classesOf, type Fault, faultOf, type Reader, zip } from './verdict.ts'

export interface Failure {
  readonly seed: number
  readonly fault: Fault
  readonly html: string
}

export interface Tally {
  readonly documents: number
  readonly visible: number
  readonly uncertain: number
  readonly hidden: number
  readonly failures: readonly Failure[]
}

const CANARIES = 6
const WORDS = Array.from({ length: CANARIES }, (_, at) => canary(at + 1))
const BATCH = 20
const MOST_FAILURES = 25

/** Documents of the seeds from `first` on. Stops early once there are enough failures to look at. */
export async function judgeGenerated(
  read: Reader,
  oracle: Oracle,
  { first, count, minimise = true }: { readonly first: number; readonly count: number; readonly minimise?: boolean },
): Promise<Tally> {
  const failures: Failure[] = []
  const classes = { visible: 0, uncertain: 0, hidden: 0 }
  let documents = 0
  while (documents < count && failures.length < MOST_FAILURES) {
    const size = Math.min(BATCH, count - documents)
    const batch = Array.from({ length: size }, (_, at) => judged(read, first + documents + at))
    for (const { delivered } of batch) for (const one of delivered) classes[one]++
    const suspects = await suspectsOf(oracle, batch)
    for (const suspect of suspects) failures.push(...(await confirmed(read, oracle, suspect, minimise)))
    documents += size
  }
  return { documents, ...classes, failures }
}

interface Judged {
  readonly seed: number
  readonly composition: Composition
  readonly html: string
  readonly delivered: readonly ReturnType<typeof classesOf>[number][]
}

function judged(read: Reader, seed: number): Judged {
  const composition = compose(seed, CANARIES)
  const html = htmlOf(composition)
  return { seed, composition, html, delivered: classesOf(read, html, WORDS) }
}

interface Suspect extends Judged {
  readonly word: string
}

/** What is uncertain cannot be wrong; the rest is judged with all words of a document at once. */
async function suspectsOf(oracle: Oracle, batch: readonly Judged[]): Promise<Suspect[]> {
  const sights = await oracle.judgeTogether(batch.map(({ html }) => ({ html, canaries: WORDS })))
  return batch.flatMap((one, at) =>
    WORDS.flatMap((word, number) => {
      const fault = faultOf(sights[at]?.[number] ?? 'hidden', one.delivered[number] ?? 'hidden')
      return fault === undefined ? [] : [{ ...one, word }]
    }),
  )
}

async function confirmed(read: Reader, oracle: Oracle, suspect: Suspect, minimise: boolean): Promise<Failure[]> {
  const { word, composition, seed } = suspect
  const faultsOf = async (candidates: readonly Composition[]): Promise<(Fault | undefined)[]> => {
    const htmls = candidates.map(htmlOf)
    const delivered = htmls.map((html) => (html.includes(word) ? classesOf(read, html, [word])[0] : undefined))
    const asked = htmls.filter((_, at) => delivered[at] === 'visible' || delivered[at] === 'hidden')
    const sights = new Map(zip(asked, await oracle.judge(asked.map((html) => ({ html, canaries: [word] })))))
    return htmls.map((html, at) => {
      const [sight] = sights.get(html) ?? []
      return sight === undefined ? undefined : faultOf(sight, delivered[at] ?? 'hidden')
    })
  }
  const [fault] = await faultsOf([composition])
  if (fault === undefined) return []
  if (!minimise) return [{ seed, fault, html: htmlOf(composition) }]
  const smallest = await minimised(composition, async (all) => (await faultsOf(all)).map((one) => one === fault))
  return [{ seed, fault, html: htmlOf(smallest).replaceAll(word, 'CANARY') }]
}
