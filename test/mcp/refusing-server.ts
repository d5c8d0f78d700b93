/** A server that cannot start. */

import { DEFAULT_SERVE } from '../../src/surfaces/cli/choices.ts'
import { serve } from '../../src/surfaces/cli/serve.ts'

process.exitCode = await serve(DEFAULT_SERVE, {
  open: async () => ({ kind: 'cannot_start', sentence: 'no accounts', story: 'no accounts: the whole story' }),
  streams: { input: process.stdin, output: process.stdout },
  terminal: { print: (text) => process.stdout.write(text), complain: (text) => process.stderr.write(text) },
  onStop: () => {},
})
