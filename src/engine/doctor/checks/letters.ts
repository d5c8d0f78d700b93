/** Letters that only a person can help along. */
import { count } from '../../../core/text/count.ts'
import type { Check } from '../check.ts'
import { broken, type Finding, ok, warning } from '../finding.ts'

export const lettersCheck: Check = {
  name: 'letters',
  looksAt: 'letters that wait for a person',
  async run(world): Promise<readonly Finding[]> {
    const letters = await world.letters()
    if (letters === undefined) return []
    const { waiting, needOperator } = letters
    const stuck = needOperator.map((id) => {
      const cure = `run: postern outbox ${id} --look (then, if it is not found, --sent or --not-sent)`
      return broken('nobody knows whether this letter was sent', cure, id)
    })
    const [first] = waiting
    if (first === undefined) return stuck.length > 0 ? stuck : [ok('no letter waits')]
    const sentence = `${count(waiting.length, 'letter')} ${waiting.length === 1 ? 'waits' : 'wait'} for approval`
    return [...stuck, warning(sentence, `run: postern outbox, then postern approve ${first}`)]
  },
}
