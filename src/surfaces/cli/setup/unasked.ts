/** For scripts: nobody is asked. What has a usual answer gets it; what has none names the option that gives it. */
import { Failure } from '../../../core/failure.ts'
import type { Terminal } from '../program.ts'
import type { Prompter, Question } from './prompter.ts'

/** What is over before need not be told. */
const TELL_AFTER_MS = 1000

export function unasked({ complain }: Terminal): Prompter {
  return {
    interactive: false,
    text: async (question) => question.initial ?? missing(question),
    secret: async (question) => missing(question),
    choose: async (question) => question.initial ?? missing(question),
    several: async ({ initial }) => initial,
    agree: async ({ initial }) => initial,
    say: (text) => complain(`${text}\n`),
    busy: (message, work) => {
      const telling = setTimeout(() => complain(`${message} …\n`), TELL_AFTER_MS)
      return work().finally(() => clearTimeout(telling))
    },
  }
}

function missing({ flag, message }: Question): never {
  throw new Failure('invalid_input', `add ${flag}: nobody is asked here (${message})`)
}
