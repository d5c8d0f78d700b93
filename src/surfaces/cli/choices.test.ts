import { expect, test } from 'vitest'
import { DEFAULT_SERVE, quickServeChoice } from './choices.ts'

test.each<[string[], object | undefined]>([
  [[], DEFAULT_SERVE],
  [['serve'], DEFAULT_SERVE],
  [['--transport', 'stdio'], DEFAULT_SERVE],
  [
    ['serve', '--config', '/etc/postern', '--toolsets', 'imap, outbox'],
    { ...DEFAULT_SERVE, config: '/etc/postern', toolsets: ['imap', 'outbox'] },
  ],
  [['--transport', 'http'], undefined],
  [['--config'], undefined],
  [['--config', '--help'], undefined],
  [['--help'], undefined],
  [['--version'], undefined],
  [['demo'], undefined],
  [['serve', 'serve'], undefined],
  [['--transport=stdio'], undefined],
])('%j', (argv, choice) => {
  expect(quickServeChoice(argv)).toEqual(choice)
})
