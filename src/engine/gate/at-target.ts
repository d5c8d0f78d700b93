/**
 * What fails at the place that mail is to go to is told as such: whoever asked has to know which of the two to mend.
 *
 * INVARIANT: happens before anything is begun, and says so.
 */
import { ABSENT_DESTINATION } from '../../core/absent.ts'
import { Failure } from '../../core/failure.ts'

const STAGE = 'append'
const SERVER = "the target account's server"
const SHUT = 'did not let us in, or not safely; whoever runs this server has to look'

export async function atTarget<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Failure ? asTargets(error) : error
  }
}

function asTargets(failure: Failure): Failure {
  const about = { cause: failure, stage: STAGE }
  switch (failure.code) {
    case 'not_found':
      return new Failure('not_found', `${ABSENT_DESTINATION}; nothing was changed`, about)
    case 'unavailable':
    case 'timeout':
      return new Failure('unavailable', `${SERVER} could not be reached; nothing was started; ask again later`, {
        ...about,
        stage: 'connect_target',
      })
    case 'auth_failed':
    case 'tls_failed':
      return new Failure(failure.code, `${SERVER} ${SHUT}; nothing was started`, about)
    default:
      return failure
  }
}
