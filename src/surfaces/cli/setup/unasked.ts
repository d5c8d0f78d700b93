/** For scripts: nobody is asked. What has a usual answer gets it; what has none names the option that gives it. */
import { Failure } from '../../../core/failure.ts'
import type { Terminal } from '../program.ts'
import type { Prompter, Question } from './prompter.ts'

export function unasked({ complain }: Terminal): Prompter {
  return {
    interactive: false,
    text: async (question) => question.initial ?? missing(question),
    secret: async (question) => missing(question),
    choose: async (question) => question.initial ?? missing(question),
    several: async ({ initial }) => initial,
    agree: async ({ initial }) => initial,
    say: (text) => complain(`${text}\n`),
    busy: (_message, work) => work(),
  }
}

function missing({ flag, message }: Question): never {
  throw new Failure('invalid_input', `add ${flag}: nobody is asked here (${message})`)
}
