import { expect, test } from 'vitest'
import { DEFAULT_SERVE, quickServeChoice } from './choices.ts'

test.each<[string[], object | undefined]>([
  [[], DEFAULT_SERVE],
  [['serve'], DEFAULT_SERVE],
  [['--transport', 'stdio'], DEFAULT_SERVE],
  [['serve', '--toolsets', 'imap, outbox'], { ...DEFAULT_SERVE, toolsets: ['imap', 'outbox'] }],
  [['--transport', 'http'], undefined],
  [['--toolsets'], undefined],
  [['--toolsets', '--help'], undefined],
  [['--config', 'here'], { ...DEFAULT_SERVE, config: 'here' }],
  [['--config'], undefined],
  [['--help'], undefined],
  [['--version'], undefined],
  [['demo'], undefined],
  [['serve', 'serve'], undefined],
  [['--transport=stdio'], undefined],
])('%j', (argv, choice) => {
  expect(quickServeChoice(argv)).toEqual(choice)
})
