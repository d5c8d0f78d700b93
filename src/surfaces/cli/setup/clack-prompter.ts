/** Questions at a terminal. The library is loaded with the first. */
import type { Readable, Writable } from 'node:stream'
import * as clack from '@clack/prompts'
import { Failure } from '../../../core/failure.ts'
import { type Option, type Prompter, stopped } from './prompter.ts'

export interface PrompterStreams {
  readonly input: Readable
  /** Never stdout. */
  readonly output: Writable
  readonly signal: AbortSignal
}

export function clackPrompter(streams: PrompterStreams): Prompter {
  const { signal } = streams
  const answered = async <T>(answer: Promise<unknown>): Promise<T> => {
    const value = await answer
    if (!clack.isCancel(value)) return value as T
    throw signal.aborted && signal.reason instanceof Failure ? signal.reason : stopped()
  }
  return {
    interactive: true,
    text: ({ message, initial, problem }) =>
      answered(
        clack
          .text({
            message,
            ...streams,
            ...(initial !== undefined && { initialValue: initial }),
            validate: (value) =>
              problem?.((value ?? '').trim()) ?? (value?.trim() ? undefined : 'Please type something.'),
          })
          .then((value) => (typeof value === 'string' ? value.trim() : value)),
      ),
    secret: ({ message }) =>
      answered(
        clack.password({ message, ...streams, validate: (value) => (value ? undefined : 'Please type something.') }),
      ),
    choose: ({ message, options, initial }) =>
      answered(
        clack.select<string>({
          message,
          ...streams,
          options: shown(options),
          ...(initial && { initialValue: initial }),
        }),
      ) as Promise<never>,
    several: ({ message, options, initial }) =>
      answered(
        clack.multiselect<string>({
          message,
          ...streams,
          options: shown(options),
          initialValues: [...initial],
          required: false,
        }),
      ) as Promise<never>,
    agree: ({ message, initial }) => answered(clack.confirm({ message, ...streams, initialValue: initial })),
    say: (text) => clack.log.message(text, { output: streams.output }),
    // The library's spinner ends the process on Ctrl-C; this leaves that to whoever has something to tidy up.
    busy: (message, work) => {
      clack.log.step(`${message} …`, { output: streams.output })
      return work()
    },
  }
}

function shown(options: readonly Option<string>[]): { value: string; label: string; hint?: string }[] {
  return options.map(({ value, label, hint }) => ({ value, label, ...(hint !== undefined && { hint }) }))
}
